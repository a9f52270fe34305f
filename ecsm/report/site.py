# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs (``mkdocs.yml``): pages of docs/ link to files of the whole tree.

A Markdown file outside docs/ that a page links to becomes a page of the site, below ``source/``.
Any other file is copied there, ``.txt`` behind its name, so that a browser shows it. The files in
the tree stay as they are: links work on the site, on a forge and in an editor.

MkDocs is not a dependency of this package: this module imports it when a site is built.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DOCS, SOURCE = "docs/", "source/"
SECTION = "Source"
"""Where the navigation has the pages from outside docs/."""
LICENCE = "<!-- SPDX-License-Identifier: Apache-2.0 -->"
_LINK = re.compile(r"\]\((?P<target>(?!\w+:)[^()#\s]+)(?P<anchor>#[^()\s]*)?\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def uri(path: str) -> str:
    """Return where the site has a file of the tree: ``docs/a.md`` is ``a.md``."""
    if path.startswith(DOCS):
        return path.removeprefix(DOCS)
    return SOURCE + (path if path.endswith(".md") else f"{path}.txt")


def path_of(page: str) -> str:
    """Return the file of the tree that a page is made of: the reverse of :func:`uri`."""
    return page.removeprefix(SOURCE) if page.startswith(SOURCE) else DOCS + page


def _target(path: str, link: str) -> str:
    """Return the file that a link of a file leads to; of a folder its README."""
    found = os.path.normpath(Path(path).parent / link)
    return f"{found}/README.md" if (ROOT / found / "README.md").is_file() else found


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return a text with all but its code blocks changed."""
    parts, at = [], 0
    for block in _FENCE.finditer(text):
        parts += [change(text[at : block.start()]), block[0]]
        at = block.end()
    return "".join([*parts, change(text[at:])])


def rewritten(text: str, path: str) -> str:
    """Return the text of a file of the tree with its links as the site needs them."""
    here = Path(uri(path)).parent

    def new(match: re.Match[str]) -> str:
        to = _target(path, match["target"])
        return f"]({os.path.relpath(uri(to), here)}{match['anchor'] or ''})"

    return _outside_code(text, lambda part: _LINK.sub(new, part))


def linked() -> list[str]:
    """Return the files outside docs/ that pages of the site lead to, straight or by other pages."""
    waiting = sorted(str(p.relative_to(ROOT)) for p in (ROOT / DOCS).rglob("*.md"))
    found: set[str] = set()
    while waiting:
        path = waiting.pop()
        text = _FENCE.sub("", (ROOT / path).read_text(encoding="utf-8"))
        for match in _LINK.finditer(text):
            to = _target(path, match["target"])
            if not to.startswith(DOCS) and to not in found and (ROOT / to).is_file():
                found.add(to)
                waiting += [to] if to.endswith(".md") else []
    return sorted(found)


def _name(path: str) -> str:
    """Return what the navigation calls a page: its folder, or its file's name at the top."""
    folder = str(Path(path).parent)
    return Path(path).stem if folder == "." else folder


def on_config(config: Any) -> Any:
    """Put the pages from outside docs/ into the navigation."""
    pages = [path for path in linked() if path.endswith(".md")]
    config.nav.append({SECTION: [{_name(path): uri(path)} for path in pages]})
    return config


def on_files(files: Any, *, config: Any) -> Any:
    """Give the site the files from outside docs/."""
    from mkdocs.structure.files import File

    for path in linked():
        files.append(File.generated(config, uri(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Rewrite the links of a page, and drop its licence line: the title has to come first."""
    return rewritten(markdown.removeprefix(LICENCE).lstrip(), path_of(page.file.src_uri))
