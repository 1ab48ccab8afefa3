"""How do we take files from Debian's archive without root, and without installing anything? By mmdebstrap: it makes
a root file system that is thrown away, and what was asked for is copied out of it as this user's."""

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

from host.debian import installed, namespaces

# Told to end, mmdebstrap removes what it has made; and it is told when whoever called it ends, however that does.
ENDED_WITH_US = ("setpriv", "--pdeathsig", "TERM")
APT = "APT_CONFIG=$MMDEBSTRAP_APT_CONFIG"
APT_GET = f"{APT} apt-get -qq -o APT::Sandbox::User=root"
# A line for sources beside each line for packages. Which of the two forms mmdebstrap writes depends on its version.
WITH_SOURCES = [
    r"""--setup-hook=find "$1/etc/apt" -name '*.list' -exec sed -i 's/^deb \(.*\)/&\ndeb-src \1/' {} +""",
    r"""--setup-hook=find "$1/etc/apt" -name '*.sources' -exec sed -i 's/^Types: deb$/& deb-src/' {} +""",
]


def need(*names: str) -> None:
    """What it takes, and these commands; what forbids it is told before anything is downloaded."""
    namespaces.need()
    installed.need("mmdebstrap", "newuidmap", *names)


def release_alone(suite: str) -> list[str]:
    """Options that take the suite's updates away, in whichever of the two forms."""
    return [
        rf"""--setup-hook=find "$1/etc/apt" -name '*.list' -exec sed -i '/{suite}-/d' {{}} +""",
        rf"""--setup-hook=find "$1/etc/apt" -name '*.sources' -exec perl -00 -i -pe"""
        rf""" 's/ {suite}-\S+//g; $_ = "" unless / {suite}\b/' {{}} +""",
    ]


def by_apt(suite: str, script: str, name: str, folder: Path, *options: str) -> list[str]:
    """The command for a root file system in which nothing is installed: only its apt is used, by a shell script in
    an empty folder of that name. `copy-out` brings it into `folder`."""
    return [
        "mmdebstrap",
        "--variant=custom",
        "--format=null",
        f"--mode={'root' if os.getuid() == 0 else 'unshare'}",
        *options,
        f'--customize-hook=mkdir "$1/{name}" && cd "$1/{name}" && {script}',
        f"--customize-hook=copy-out /{name} {shlex.quote(str(folder))}",
        suite,
        "-",
    ]


def environment() -> dict[str, str]:
    """mmdebstrap unpacks into TMPDIR, and /tmp may be memory: prefer the disk."""
    return {**os.environ, "TMPDIR": os.environ.get("TMPDIR", "/var/tmp"), "LC_ALL": "C.UTF-8"}


def run(command: list[str], heard: Callable[[str], None] = lambda line: None) -> tuple[bool, str]:
    """Whether it ended well, and the line that says why not. `heard` is given each line that it says meanwhile."""
    with subprocess.Popen(
        [*ENDED_WITH_US, *command],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        said = []
        try:
            for line in process.stderr:
                said.append(line)
                heard(line.rstrip("\n"))
        except BaseException:
            process.terminate()
            raise
    errors = [line.rstrip("\n") for line in said if line.startswith("E:")]
    return process.returncode == 0, errors[0] if errors else "".join(said)[-300:]
