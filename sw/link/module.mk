# SPDX-License-Identifier: Apache-2.0
# A module for programs: a shared object of C files here, in sw/link and in sw/frame. Include it with
#
#   NAME    the file that is made      OBJECTS  its C files, without .c
#   MORE    flags of its own           INTO     the folder that "make install" puts it into
#   CONFIG  a file that is installed with it, as an example, and FOLDER where it goes

BUILD  ?= build
CC     ?= cc
CFLAGS ?= -O2
FLAGS  := -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -pthread -I../link -I../frame $(MORE) \
          -Wall -Wextra -Werror -Wconversion -Wshadow
ifdef SANITIZE
FLAGS  += -g -fsanitize=undefined -fno-sanitize-recover=all
endif

$(BUILD)/$(NAME): $(OBJECTS:%=$(BUILD)/%.o)
	$(CC) $(CFLAGS) $(FLAGS) $(LDFLAGS) -shared -o $@ $^ -lcrypto

vpath %.c . ../link ../frame
$(BUILD)/%.o: %.c $(wildcard *.h ../link/*.h ../frame/*.h) Makefile ../link/module.mk
	@mkdir -p $(BUILD)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(FLAGS) -c -o $@ $<

.PHONY: install uninstall clean
install: $(BUILD)/$(NAME)
	@test -n "$(INTO)" && test -n "$(FOLDER)" || { echo "where to? $(HOW)" >&2; exit 1; }
	install -D -m 755 $(BUILD)/$(NAME) "$(DESTDIR)$(INTO)/$(NAME)"
	install -D -m 644 $(CONFIG) "$(DESTDIR)$(FOLDER)/$(CONFIG)"

uninstall:
	rm -f "$(DESTDIR)$(INTO)/$(NAME)" "$(DESTDIR)$(FOLDER)/$(CONFIG)"

clean:
	rm -rf $(BUILD)
