# SPDX-License-Identifier: Apache-2.0
"""``make install`` of the provider and of the PKCS#11 module, and what programs find then."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.device.serving import Serving
from tests.sw import pkcs11, provider

KINDS = ("provider", "pkcs11")


def make(what: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    source = provider.ROOT / "sw" / what
    return subprocess.run(
        ["make", "-s", "-C", str(source), *arguments], capture_output=True, text=True, check=False
    )


def files(folder: Path) -> dict[str, int]:
    """Return the mode of every file of a folder, by path."""
    return {
        f"/{f.relative_to(folder)}": f.stat().st_mode & 0o777
        for f in folder.rglob("*")
        if f.is_file()
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def install(what: str, made: Path, root: Path) -> dict[str, int]:
    """Install what is compiled already; return what is there then."""
    done = make(what, "install", f"BUILD={made.parent}", f"DESTDIR={root}")
    assert (done.returncode, done.stderr) == (0, "")
    return files(root)


def test_openssl_finds_the_provider_and_its_configuration(
    root: Path, ecsm_so: Path, own_keys: Path, device_server: Serving
) -> None:
    """The example works as it is but for the socket; without the module it does not."""
    said = subprocess.run(["openssl", "version", "-m"], capture_output=True, text=True).stdout
    modules = re.findall(r'"(.*)"', said)[0]
    assert install("provider", ecsm_so, root) == {
        f"{modules}/ecsm.so": 0o755, "/etc/ssl/ecsm.cnf": 0o644,
    }  # fmt: skip
    example = (root / "etc/ssl/ecsm.cnf").read_text()
    assert example.count("socket = /run/ecsm/socket\n") == 1
    config = own_keys / "ecsm.cnf"
    config.write_text(example.replace("/run/ecsm/socket", str(device_server.socket)))
    (own_keys / "message").write_text("ten pounds")
    sign = ["openssl", "dgst", "-sha256", "-sign", "ecsm:web", "-out", "signature", "message"]
    check = ["openssl", "dgst", "-sha256", "-verify", "web.pub", "-signature", "signature"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OPENSSL", "ECSM"))}
    ours = {**clean, "OPENSSL_CONF": str(config), "OPENSSL_MODULES": f"{root}{modules}"}
    subprocess.run(sign, cwd=own_keys, env=ours, check=True, capture_output=True)
    subprocess.run([*check, "message"], cwd=own_keys, env=clean, check=True, capture_output=True)
    assert make("provider", "uninstall", f"DESTDIR={root}").returncode == 0
    assert files(root) == {}
    assert subprocess.run(sign, cwd=own_keys, env=ours, capture_output=True).returncode


def test_p11_kit_finds_the_module(root: Path, pkcs11_so: Path) -> None:
    """In the folders that p11-kit's own description names."""
    variables = ("p11_module_path", "p11_module_configs")
    asked = [["pkg-config", f"--variable={name}", "p11-kit-1"] for name in variables]
    path, configs = (
        subprocess.run(a, capture_output=True, text=True).stdout.strip() for a in asked
    )
    if not path:
        pytest.skip("no pkg-config of p11-kit: .ci/install-libraries")
    module, config = f"{path}/libecsm_pkcs11.so", f"{configs}/ecsm.module"
    assert install("pkcs11", pkcs11_so, root) == {module: 0o755, config: 0o644}
    lines = (root / config[1:]).read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == [f"module: {Path(module).name}"]
    assert make("pkcs11", "uninstall", f"DESTDIR={root}").returncode == 0
    assert files(root) == {}


@pytest.mark.parametrize("what", KINDS)
def test_a_place_that_is_not_known_is_asked_for(what: str, root: Path, tmp_path: Path) -> None:
    if lacking := provider.missing() or pkcs11.missing():
        pytest.skip(lacking)
    made = tmp_path / ("ecsm.so" if what == "provider" else "libecsm_pkcs11.so")
    arguments = (f"DESTDIR={root}", f"BUILD={tmp_path}", "INTO=", f"-o{made}")
    made.touch()
    done = make(what, "install", *arguments)
    assert done.returncode != 0
    assert "where to? INTO=FOLDER" in done.stderr
    assert files(root) == {}
