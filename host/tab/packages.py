"""Which Debian packages is the tab's kernel made of? Those that vm-image/tab/packages.toml names, fetched as
files for another architecture than this machine's, and never installed."""

import json
import re
import subprocess
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from host import store
from host.debian import archive
from host.errors import LabError
from host.paths import VM_IMAGE
from host.phases import phase

RECIPE = VM_IMAGE / "tab" / "packages.toml"
FORM = "${Package}\n${Version}\n${source:Package}\n${source:Version}\n${Built-Using}\n"  # of dpkg-deb: see _described
KERNEL = "linux-image-686"  # a name without contents: it depends on the current kernel's package


@dataclass(frozen=True)
class Packages:
    """The fetched packages, and what is in them."""

    folder: Path

    @cached_property
    def versions(self) -> dict[str, dict[str, str]]:
        """Each package's version, and the source packages that it was built from."""
        return json.loads((self.folder / "versions.json").read_text())

    @property
    def held(self) -> dict[str, dict]:
        """The versions of those that the state holds parts of."""
        texts = recipe()["texts"]
        return {name: entry for name, entry in self.versions.items() if name not in texts}

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
    names = sorted({*wanted["packages"], *wanted["texts"]})

    def fetch(folder: Path) -> None:
        archive.need()
        with phase(f"tab: fetching {len(names)} packages of Debian's {wanted['architecture']}"):
            done, cause = archive.run(_fetch(wanted, names, folder))
        if not done:
            raise LabError(f"tab: {cause}", "fix what it names, then: ./lab tab")
        found = dict(map(_described, sorted(folder.glob("debs/*.deb"))))
        if lacking := {*names} - {KERNEL} - {*found}:
            raise LabError(
                f"tab: expected packages that the archive did not give: {', '.join(sorted(lacking))}",
                "fix vm-image/tab/packages.toml, then: ./lab tab",
            )
        (folder / "versions.json").write_text(json.dumps(found, indent=1))

    key = store.key_of(wanted["suite"], wanted["architecture"], *names, FORM)
    return Packages(store.build_once("tab-packages", key, fetch, 300))


def _fetch(wanted: dict, names: list[str], folder: Path) -> list[str]:
    """The command that brings the files: of the release alone, and nothing of that architecture is run."""
    kernel = f"$({archive.APT} apt-cache depends --important {KERNEL} | sed -n 's/.*Depends: //p')"
    others = " ".join(name for name in names if name != KERNEL)
    script = f"kernel={kernel} && {archive.APT_GET} download $kernel {others}"
    return archive.by_apt(
        wanted["suite"],
        script,
        "debs",
        folder,
        f"--architectures={wanted['architecture']}",
        "--skip=check/qemu",
        *archive.release_alone(wanted["suite"]),
    )


def _described(package: Path) -> tuple[str, dict]:
    """A package's name, its version, its source, and the others of which it holds parts (Debian policy 7.8: the
    kernel's package is one of signatures, built using `linux`)."""
    said = subprocess.run(
        ["dpkg-deb", "--show", f"--showformat={FORM}", package], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    name, version, source, source_version, using = said[:5]
    return name, {
        "version": version,
        "source": source,
        "source_version": source_version,
        "built_using": dict(re.findall(r"(\S+) \(= ([^)]+)\)", using)),
    }
