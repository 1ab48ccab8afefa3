"""What has to lie beside a site that carries the tab's kernel? The exact source packages of all that the state
holds, npm's packages, and the recipe: for whoever publishes it."""

import base64
import hashlib
import re
import shlex
import shutil
import tempfile
from pathlib import Path

from core.source_files import debian_file, npm_file, sources
from host.debian import archive
from host.errors import LabError
from host.paths import REPOSITORY, VM_IMAGE
from host.phases import phase
from host.tab import node, root
from host.tab.state import State

RECIPE = ("lab", "core", "host", "labs", "requirements.txt", "LICENSE", "LICENSES", VM_IMAGE.relative_to(REPOSITORY))
README = "README.md"
HEAD = """# The sources of the kernel that runs in a reader's tab

They belong to the saved state of {date}, whose state.zst has the SHA-256 sum
{sha256}:
Linux {release}, made of Debian {suite}'s packages for i386, for the emulator v86 {v86}.

- `debian/` holds Debian's source packages, as its archive signs them, each with its debian/copyright.
- `npm/` holds npm's packages, as npm's lock names them by hash; each contains its licence.
- `recipe/` holds what makes the state of them: what of it is our own, and `./lab tab`.

| in the state | version | licences | made of |
| --- | --- | --- | --- |
"""


def kept(state: State, folder: Path) -> dict:
    """Have all sources in `folder`: which were fetched, and which lay there whole. Writes nothing there if it fails."""
    wanted, npm = corresponding(state.described["packages"]), node.locked()
    debian_lacking = {one: who for one, who in wanted.items() if files(folder / "debian", *one) is None}
    npm_lacking = {
        name: entry
        for name, entry in npm.items()
        if not _fits(folder / "npm" / npm_file(name, entry["version"]), entry)
    }
    there = next(place for place in [folder, *folder.absolute().parents] if place.exists())
    with tempfile.TemporaryDirectory(prefix=".sources-", dir=there) as aside:
        for part in ("debian", "npm"):
            (Path(aside) / part).mkdir()
        if debian_lacking:
            _fetch(list(debian_lacking), state.described["suite"], Path(aside), folder)
        if npm_lacking:
            _pack(npm_lacking, Path(aside), folder)
        _lay(Path(aside), folder)
    _lay_recipe(folder / "recipe")
    (folder / README).write_text(readme(state.described, npm))
    laid = [file for one in wanted for file in files(folder / "debian", *one)]
    laid += [folder / "npm" / npm_file(name, entry["version"]) for name, entry in npm.items()]
    return {
        "folder": str(folder),
        "packages": len(wanted) + len(npm),
        "bytes": sum(file.stat().st_size for file in laid),
        "fetched": sorted([*(" ".join(one) for one in debian_lacking), *npm_lacking]),
    }


def for_terminal(answer: dict) -> str:
    """Which sources were fetched, for the terminal."""
    fetched = answer["fetched"]
    return (
        f"{answer['packages']} packages of source, {answer['bytes'] / 1e6:.0f} MB, {len(fetched)} fetched now\n"
        f"  in {answer['folder']}; its {README} says what belongs to what"
    )


def corresponding(versions: dict[str, dict]) -> dict[tuple[str, str], list[str]]:
    """Each source package with its version, and the packages that hold parts of it: their own source, and those that
    they say they were built using."""
    found: dict[tuple[str, str], list[str]] = {}
    for package, entry in versions.items():
        for one in sources(entry):
            found.setdefault(one, []).append(package)
    return dict(sorted(found.items()))


def files(folder: Path, source: str, version: str) -> list[Path] | None:
    """The files of a source package, its .dsc first; None if one lacks, or is not what the .dsc says."""
    described = folder / debian_file(source, version)
    try:
        sums = re.findall(r"^Checksums-Sha256: *\n((?: .*\n)+)", described.read_text(), re.MULTILINE)[0]
        listed = {folder / name: sha256 for sha256, _, name in map(str.split, sums.splitlines())}
        whole = all(hashlib.sha256(file.read_bytes()).hexdigest() == sha256 for file, sha256 in listed.items())
    except (OSError, IndexError):
        return None
    return [described, *listed] if whole else None


def _fetch(wanted: list[tuple[str, str]], suite: str, aside: Path, folder: Path) -> None:
    """Fetch source packages by one call of Debian's apt, which is first asked whether it has them all."""
    archive.need()
    names = " ".join(shlex.quote(f"{source}={version}") for source, version in wanted)
    apt = f"{archive.APT_GET} -o Acquire::Retries=3 source --only-source"
    script = (
        f'uris=$({apt} --print-uris {names}) && echo "$uris" >&2 && for each in {names}; do '
        f'echo "at $each $(du -sb . | cut -f1)" >&2 && {apt} --download-only "$each" || exit 1; done'
    )
    with phase(f"tab: fetching {len(wanted)} source packages") as progress:
        sizes = []

        def heard(line: str) -> None:
            if uri := re.match(r"'\S+' \S+ (\d+) ", line):
                sizes.append(int(uri[1]))
            if at := re.match(r"at (\S+) (\d+)$", line):
                progress(f"{at[1]}, after {int(at[2]) / 1e6:.0f} of {sum(sizes) / 1e6:.0f} MB")

        done, cause = archive.run(
            archive.by_apt(suite, script, "debian", aside, *archive.release_alone(suite), *archive.WITH_SOURCES), heard
        )
    again = f"./lab tab --sources {shlex.quote(str(folder))}"
    if not done and re.search(r"Can not find version|Unable to find a source package", cause):
        raise LabError(
            f"tab: the archive has moved on from what the state holds: {cause}",
            f"rm -r {shlex.quote(str(root.built().folder))} && ./lab tab",
        )
    if not done:
        raise LabError(f"tab: the sources were not fetched: {cause}", f"fix what it names, then: {again}")
    if lacking := [" ".join(one) for one in wanted if files(aside / "debian", *one) is None]:
        raise LabError(f"tab: not what their .dsc says: {', '.join(lacking)}", again)


def _pack(wanted: dict[str, dict], aside: Path, folder: Path) -> None:
    for name, entry in wanted.items():
        with phase(f"tab: npm pack {name}"):
            node.npm(
                aside / "cache",
                "pack",
                f"{name}@{entry['version']}",
                "--ignore-scripts",
                "--pack-destination",
                str(aside / "npm"),
            )
        if not _fits(aside / "npm" / npm_file(name, entry["version"]), entry):
            raise LabError(
                f"tab: npm's {name} {entry['version']} is not the one that package-lock.json names by hash",
                f"fix the lock, then: ./lab tab --sources {shlex.quote(str(folder))}",
            )


def _fits(file: Path, entry: dict) -> bool:
    """Whether a file is the one that the lock names."""
    try:
        return entry["integrity"] == "sha512-" + base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
    except FileNotFoundError:
        return False


def _lay(aside: Path, folder: Path) -> None:
    for part in ("debian", "npm"):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for file in (aside / part).iterdir():
            file.replace(folder / part / file.name)


def _lay_recipe(folder: Path) -> None:
    """Lay the recipe into the folder as the checkout has it now, of which the state is made."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in RECIPE:
        source, target = REPOSITORY / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        else:
            shutil.copy(source, target)


def readme(described: dict, npm: dict[str, dict]) -> str:
    """What belongs to what."""
    rows = [
        (
            f"`{package}`",
            entry["version"],
            ", ".join(entry["licences"]),
            ", ".join(f"{source} {version}" for source, version in sources(entry)),
        )
        for package, entry in described["packages"].items()
    ]
    rows += [
        (f"`{name}` (beside the state)", entry["version"], entry["license"], f"npm/{npm_file(name, entry['version'])}")
        for name, entry in npm.items()
    ]
    head = HEAD.format(
        **{key: described[key] for key in ("date", "release", "suite", "v86")},
        sha256=described["files"]["state.zst"]["sha256"],
    )
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)
