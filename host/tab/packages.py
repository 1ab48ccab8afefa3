"""Which Debian packages is the tab's kernel made of? Those that vm-image/tab/packages.toml names, fetched as
files for another architecture than this machine's, and never installed."""

import json
import os
import shlex
import subprocess
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from host import debian, store
from host.image import environment
from host.paths import VM_IMAGE
from host.phases import LabError, phase

RECIPE = VM_IMAGE / "tab" / "packages.toml"
KERNEL = "linux-image-686"  # a name without contents: it depends on the current kernel's package


@dataclass(frozen=True)
class Packages:
    """The fetched packages, and what is in them."""

    folder: Path

    @cached_property
    def versions(self) -> dict[str, dict[str, str]]:
        """Each package's version, and the source package that it was built from."""
        return json.loads((self.folder / "versions.json").read_text())

    def unpack(self, folder: Path) -> None:
        """Lay the files of all of them below `folder`."""
        for package in sorted(self.folder.glob("debs/*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, folder], check=True)


def recipe() -> dict:
    """vm-image/tab/packages.toml."""
    return tomllib.loads(RECIPE.read_text())


def fetched() -> Packages:
    """The recipe's packages as the archive has them when they are first asked for."""
    wanted = recipe()

    def fetch(folder: Path) -> None:
        debian.need("mmdebstrap", "newuidmap")
        with phase(f"tab: fetching {len(wanted['packages'])} packages of Debian's {wanted['architecture']}"):
            result = subprocess.run(_fetch(wanted, folder), env=environment(), stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            raise LabError(f"tab: {_cause(result.stderr)}", "mend what it names, then: ./lab tab")
        found = dict(map(_described, sorted(folder.glob("debs/*.deb"))))
        if lacking := {*wanted["packages"]} - {KERNEL} - {*found}:
            raise LabError(f"tab: expected packages that the archive did not give: {', '.join(sorted(lacking))}",
                           "mend vm-image/tab/packages.toml, then: ./lab tab")
        (folder / "versions.json").write_text(json.dumps(found, indent=1))

    names = [wanted["suite"], wanted["architecture"], *sorted(wanted["packages"])]
    return Packages(store.made("tab-packages", store.key_of(*names), fetch, 300))


def _fetch(wanted: dict, folder: Path) -> list[str]:
    """A root file system in which nothing is installed: only its apt is used. See host/debian_source.py."""
    suite, names = wanted["suite"], sorted({*wanted["packages"]} - {KERNEL})
    apt = "APT_CONFIG=$MMDEBSTRAP_APT_CONFIG"
    kernel = f"$({apt} apt-cache depends --important {KERNEL} | sed -n 's/.*Depends: //p')"
    return [
        "mmdebstrap", "--variant=custom", "--format=null", f"--architectures={wanted['architecture']}",
        "--skip=check/qemu",  # nothing of that architecture is run
        f"--mode={'root' if os.getuid() == 0 else 'unshare'}",
        # The release alone, in whichever of two forms this mmdebstrap has written it.
        rf"""--setup-hook=find "$1/etc/apt" -name '*.list' -exec sed -i '/{suite}-/d' {{}} +""",
        rf"""--setup-hook=find "$1/etc/apt" -name '*.sources' -exec perl -00 -i -pe"""
        rf""" 's/ {suite}-\S+//g; $_ = "" unless / {suite}\b/' {{}} +""",
        f'--customize-hook=mkdir "$1/debs" && cd "$1/debs" && kernel={kernel} && '
        f"{apt} apt-get -qq -o APT::Sandbox::User=root download $kernel {' '.join(names)}",
        f"--customize-hook=copy-out /debs {shlex.quote(str(folder))}",
        suite, "-",
    ]


def _cause(said: str) -> str:
    errors = [line for line in said.splitlines() if line.startswith("E:")]
    return errors[0] if errors else said[-300:]


def _described(package: Path) -> tuple[str, dict[str, str]]:
    """A package's name, its version, and its source with that one's version where they differ."""
    form = "${Package}\n${Version}\n${source:Package}\n${source:Version}"
    said = subprocess.run(["dpkg-deb", "--show", f"--showformat={form}", package], capture_output=True,
                          text=True, check=True).stdout.splitlines()
    name, version, source, source_version = said
    return name, {"version": version, "source": source, "source_version": source_version}
