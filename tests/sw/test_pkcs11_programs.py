# SPDX-License-Identifier: Apache-2.0
"""The PKCS#11 module in programs of its own, in GnuTLS's and OpenSSH's, and for other users."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.device.sshd import need, sshd
from tests.sw.pkcs11 import HEADERS, Module
from tests.sw.provider import P256, VALGRIND
from tests.sw.users import SERVER, WORKER, as_user, common_folder, lacking, served

HERE = Path(__file__).parent
needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")


def compiled(name: str, folder: Path) -> Path:
    """Compile a program that loads the module."""
    flags = ("-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread", "-g")
    made = folder / name
    subprocess.run(["cc", *flags, *HEADERS, "-o", made, HERE / f"{name}.c"], check=True)
    return made


def said_ok(module: Module, *words: str | Path, before: tuple[str, ...] = ()) -> None:
    done = module.run(*words, before=before)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ok\n", b""), done


@needs_valgrind
def test_every_function_whatever_it_is_given(module: Module) -> None:
    """It writes the public key to a file, as certificates have it."""
    said_ok(module, compiled("pkcs11_calls", module.folder), module.path, before=VALGRIND)
    read = module("openssl", "pkey", "-pubin", "-inform", "DER", "-in", "info.der")
    assert read == (module.folder / "web.pub").read_text()


@needs_valgrind
@pytest.mark.parametrize("what", ["derive", "threads"])
def test_nothing_leaks(module: Module, what: str) -> None:
    said_ok(module, compiled("pkcs11_use", module.folder), module.path, what, before=VALGRIND)


@pytest.mark.parametrize("what", ["children", "beginnings"])
def test_children_begin_anew(module: Module, what: str) -> None:
    """Also those that are made while another thread begins or ends."""
    said_ok(module, compiled("pkcs11_use", module.folder), module.path, what)


def test_an_end_waits_for_the_calls_of_other_threads(module: Module) -> None:
    said_ok(module, compiled("pkcs11_use", module.folder), module.path, "ends")


# ------------------------------------------------------------------ GnuTLS and p11-kit


def test_p11tool(module: Module) -> None:
    """GnuTLS, under p11-kit, finds both objects and reads the public key."""
    need("p11tool")
    listed = module("p11tool", "--provider", module.path, "--list-all")
    assert "Private key (EC/ECDSA-SECP256R1)" in listed
    assert "Public key (EC/ECDSA-SECP256R1)" in listed
    assert "Flags: CKA_SENSITIVE" in listed
    (token,) = module("p11tool", "--provider", module.path, "--list-token-urls").split()
    url = f"{token};object=web;type=public"
    read = module("p11tool", "--provider", module.path, "--export", url)
    assert read.rstrip() == (module.folder / "web.pub").read_text().rstrip()


def test_a_certificate_of_certtool(module: Module) -> None:
    """GnuTLS signs a certificate with the key; openssl verifies it."""
    need("certtool")
    (module.folder / "template").write_text("cn = localhost\nexpiration_days = 2\nsigning_key\n")
    (token,) = module("p11tool", "--provider", module.path, "--list-token-urls").split()
    key = f"{token};object=web;type="
    module("certtool", "--provider", module.path, "--generate-self-signed",
           "--template", "template", "--load-privkey", f"{key}private",
           "--load-pubkey", f"{key}public", "--outfile", "made.crt")  # fmt: skip
    assert module("openssl", "verify", "-CAfile", "made.crt", "made.crt") == "made.crt: OK\n"
    assert (
        module("openssl", "x509", "-in", "made.crt", "-noout", "-pubkey")
        == (module.folder / "web.pub").read_text()
    )


# ------------------------------------------------------------------ OpenSSH


def test_ssh(module: Module) -> None:
    """ssh-keygen lists the key, ssh logs in with it."""
    public = module("ssh-keygen", "-D", module.path)
    assert public.split()[0] == "ecdsa-sha2-nistp256"
    assert public.split()[2] == "web"
    (module.folder / "authorized").write_text(public)
    with sshd(module.folder, "authorized") as ssh:
        words = (*ssh, "-I", str(module.path), "echo", "in by", "$((6 * 7))")
        assert module(*words) == "in by 42\n"
        (module.folder / "authorized").write_text(public.replace(" AAAA", " AAAB"))
        done = module.run(*words)
        assert done.returncode == 255
        assert b"Permission denied" in done.stderr


@contextmanager
def ssh_agent(module: Module) -> Iterator[None]:
    """Run OpenSSH's own agent, which may load the module, for the programs of the module's."""
    place = module.folder / "agent"
    words = ["ssh-agent", "-D", "-a", str(place), "-P", str(module.path)]
    agent = subprocess.Popen(words, env=module.environment, stdout=subprocess.DEVNULL)
    module.environment["SSH_AUTH_SOCK"] = str(place)
    try:
        while not place.exists():
            assert agent.poll() is None
        yield
    finally:
        agent.terminate()
        agent.wait(60)


def test_ssh_agent(module: Module) -> None:
    """OpenSSH's agent signs with the key once ssh-add has given it the module."""
    need("ssh-agent", "ssh-add", "ssh-keygen")
    with ssh_agent(module):
        module.environment |= {"SSH_ASKPASS": "/bin/echo", "SSH_ASKPASS_REQUIRE": "force"}
        module("ssh-add", "-s", module.path)
        public = module("ssh-add", "-L")
        assert public.split()[:2] == module("ssh-keygen", "-D", module.path).split()[:2]
        (module.folder / "me.pub").write_text(public)
        (module.folder / "allowed").write_text(f"me {public}")
        (module.folder / "cheque").write_text("ten thousand\n")
        module("ssh-keygen", "-Y", "sign", "-f", "me.pub", "-n", "file", "cheque")
        verify = ("-Y", "verify", "-f", "allowed", "-I", "me", "-n", "file", "-s", "cheque.sig")
        said = module("ssh-keygen", *verify, given=b"ten thousand\n")
        assert said.startswith('Good "file" signature for me')
        assert module.run("ssh-keygen", *verify, given=b"one thousand\n").returncode != 0


# ------------------------------------------------------------------ other users


@pytest.fixture
def common(pkcs11_so: Path) -> Iterator[Module]:
    """The module where every user can read it, a key that a server of another user has."""
    if why := lacking():
        pytest.skip(why)
    need("pkcs11-tool")
    with common_folder() as folder:
        copy = folder / "module.so"
        shutil.copy(pkcs11_so, copy)
        module = Module(folder, copy, str(folder / "device" / "socket"), SERVER)
        module("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", P256, "-out", "web.pem")
        module("openssl", "pkey", "-in", "web.pem", "-pubout", "-out", "web.pub")
        (folder / "digest").write_bytes(os.urandom(32))
        (folder / "digest").chmod(0o644)
        yield module


def test_a_worker_signs_with_the_key_of_another_users_server(common: Module) -> None:
    """As nginx's: it cannot read the key, is in the socket's group, and trusts the server's."""
    sign = ("pkcs11-tool", "--module", str(common.path), "--sign", "-m", "ECDSA",
            "-i", "digest", "--signature-format", "openssl")  # fmt: skip
    with served(common.folder, SERVER) as server:
        place = common.folder / "device" / "socket"
        assert stat.S_IMODE(place.stat().st_mode) == 0o660
        done = common.run(*sign, before=as_user(WORKER))
        assert done.returncode == 0, done
        (common.folder / "signature").write_bytes(done.stdout)
        common("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "web.pub", "-in", "digest",
               "-sigfile", "signature")  # fmt: skip
        del common.environment["ECSM_GROUP"]
        listed = common.run("pkcs11-tool", "--module", common.path, "-L", before=as_user(WORKER))
        assert b"(token not recognized)" in listed.stdout
        refused = common.run(*sign, before=as_user(WORKER))
        assert b"CKR_TOKEN_NOT_RECOGNIZED" in refused.stderr
        assert server.jobs() == 2  # public and sign, of the first time


def test_p11_kit_finds_it_by_a_file(common: Module) -> None:
    """A file of the user's own, which p11-kit reads of each user but root."""
    need("p11-kit")
    place = common.folder / "home" / ".config" / "pkcs11" / "modules"
    place.mkdir(parents=True)
    (place / "ecsm.module").write_text(f"module: {common.path}\n")
    shutil.chown(common.folder / "home", WORKER)
    common.environment["HOME"] = str(common.folder / "home")
    listed = common.run("p11-kit", "list-modules", before=as_user(WORKER)).stdout.decode()
    assert f"ecsm: {common.path}\n    library-description: keys of ecsm serve\n" in listed


def test_a_program_with_more_rights_asks_no_environment(common: Module) -> None:
    """Whoever starts a set-user-ID program does not say which server it trusts."""
    tool = common.folder / "tool"
    found = shutil.which("pkcs11-tool")
    assert found is not None
    shutil.copy(found, tool)
    words = (str(tool), "--module", str(common.path), "-L")
    assert b"Slot 0" in common.run(*words, before=as_user(WORKER)).stdout
    tool.chmod(0o4755)
    done = common.run(*words, before=as_user(WORKER))
    assert (done.returncode, done.stderr) == (1, b"No slots.\n")
