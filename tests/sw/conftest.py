# SPDX-License-Identifier: Apache-2.0
"""psec_kem, provider, PKCS#11 module, mbedTLS, compiled; skipped without what they need."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from ecsm.curves import PrimeCurve, curve
from ecsm.measure.psec_kem import build_program, missing
from tests.device.serving import Serving, serving
from tests.sw import mbedtls, pkcs11, provider

CURVES = ("secp256r1", "secp256k1")

Run = Callable[..., str]


def prime_curve(name: str) -> PrimeCurve:
    """Return a curve over a prime field."""
    found = curve(name)
    assert isinstance(found, PrimeCurve)
    return found


def needed() -> None:
    """Skip where the program cannot be compiled."""
    if lacking := missing():
        pytest.skip(f"psec_kem cannot be compiled: {lacking}")


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, with the sanitizers of memory and of undefined behaviour where there are any."""
    needed()
    folder = tmp_path_factory.mktemp("psec_kem")
    probe = folder / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    sanitized = ["cc", "-fsanitize=address,undefined", "-o", str(folder / "probe"), str(probe)]
    try:
        subprocess.run(sanitized, check=True, capture_output=True)
        subprocess.run([str(folder / "probe")], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return build_program(folder)
    return build_program(folder, "SANITIZE=1", "CC=cc")


@pytest.fixture
def psec_kem(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the program in a folder of the test's; return what it says on standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str | Path, code: int = 0) -> str:
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        assert not done.stdout
        lines = done.stderr.splitlines()
        assert len(lines) == code, "one line if it fails, none if not"
        return done.stderr.strip()

    return run


def sanitized(folder: Path) -> list[str]:
    """What make is told to have the sanitizer of undefined behaviour, where there is one."""
    probe = folder / "probe"
    source = folder / "probe.c"
    source.write_text("int main(void) { return 0; }\n")
    checked = ["cc", "-fsanitize=undefined", "-o", str(probe), str(source)]
    able = subprocess.run(checked, capture_output=True, check=False).returncode == 0
    return ["SANITIZE=1"] if able else []


@pytest.fixture(scope="session")
def ecsm_so(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The provider, with the sanitizer of undefined behaviour where there is one."""
    if lacking := provider.missing():
        pytest.skip(f"sw/provider cannot be tried: {lacking}")
    folder = tmp_path_factory.mktemp("provider")
    return provider.build(folder, *sanitized(folder))


@pytest.fixture(scope="session")
def pkcs11_so(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The PKCS#11 module, likewise."""
    if lacking := pkcs11.missing():
        pytest.skip(f"sw/pkcs11 cannot be tried: {lacking}")
    folder = tmp_path_factory.mktemp("pkcs11")
    return pkcs11.build(folder, *sanitized(folder))


@pytest.fixture(scope="session")
def mbedtls_built(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> mbedtls.Built:
    """Return mbedTLS with a block, compiled once for all workers."""
    if lacking := mbedtls.missing():
        pytest.skip(f"sw/mbedtls cannot be tried: {lacking}")
    shared = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        shared = shared.parent
    folder = shared / "mbedtls"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        return mbedtls.build(folder, *sanitized(folder))


@pytest.fixture(scope="session")
def ec_keys(tmp_path_factory: pytest.TempPathFactory, ecsm_so: Path) -> Path:
    """A folder with keys and certificates that openssl alone has made."""
    folder = tmp_path_factory.mktemp("keys")
    run = provider.Openssl(folder, ecsm_so, "")
    curves = {
        provider.P256: ("web", "peer"), provider.P384: ("other", "peer384"),
        provider.B163: ("binary", "binary2"),
    }  # fmt: skip
    for name, option in ((name, option) for option, names in curves.items() for name in names):
        run("genpkey", "-algorithm", "EC", "-pkeyopt", option, "-out", f"{name}.pem", ours=False)
        run("pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub", ours=False)
    for name in ("web", "other"):
        run("req", "-x509", "-key", f"{name}.pem", "-subj", "/CN=localhost", "-days", "2",
            "-out", f"{name}.crt", ours=False)  # fmt: skip
    return folder


@pytest.fixture(scope="session")
def device_server(tmp_path_factory: pytest.TempPathFactory, ec_keys: Path) -> Iterator[Serving]:
    """A device server of P-256 that has the key web.pem, by the name web."""
    place = tmp_path_factory.mktemp("server") / "socket"
    key = f"web={ec_keys / 'web.pem'}"
    with serving(place, "--preset", "p256-fast", "--key", key) as made:
        yield made


@pytest.fixture(scope="session")
def binary_server(tmp_path_factory: pytest.TempPathFactory, ec_keys: Path) -> Iterator[Serving]:
    """A device server of B-163, a curve with a cofactor, that has binary.pem by the name binary."""
    place = tmp_path_factory.mktemp("binary") / "socket"
    with serving(place, "--preset", "b163-small", "--key", f"binary={ec_keys / 'binary.pem'}") as s:
        yield s


@pytest.fixture
def own_keys(tmp_path: Path, ec_keys: Path) -> Path:
    """The test's folder with copies of the keys."""
    for file in ec_keys.glob("*.[pc]*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


@pytest.fixture
def openssl(own_keys: Path, ecsm_so: Path, device_server: Serving) -> provider.Openssl:
    """The command with a server of P-256, in a folder with copies of the keys."""
    return provider.Openssl(own_keys, ecsm_so, str(device_server.socket))


@pytest.fixture
def module(own_keys: Path, pkcs11_so: Path, device_server: Serving) -> pkcs11.Module:
    """The PKCS#11 module with a server of P-256, in a folder with copies of the keys."""
    return pkcs11.Module(own_keys, pkcs11_so, str(device_server.socket))
