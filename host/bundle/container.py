"""How does the lab get onto a Linux that is no Debian, onto macOS or Windows? As an OCI image (image-spec), which
Docker and Podman run: Debian 13, this commit, and what a bundle brings, taken in already, so that nothing is fetched
when it starts. mmdebstrap makes its root file system and buildah the image, neither with a daemon."""

import json
import platform
import shlex
import subprocess
import tarfile
from pathlib import Path

from host import store
from host.bundle import packages
from host.debian import archive
from host.debian.root import Root
from host.errors import LabError
from host.paths import NAME, REPOSITORY, cache
from host.phases import phase

SUITE = "trixie"
READER = "reader"
HOME = f"/home/{READER}"
CHECKOUT = f"{HOME}/{NAME}"
CACHE = f"{HOME}/.cache/{NAME}"
BROUGHT = f"{HOME}/bundle"
INIT = "tini"  # the first process has to reap those that have lost their parent, and ./lab does not
NEEDS_MIB = 9000  # in the cache: what it holds, three times: as an archive, as a layer, and in the image
# Podman reads the image by its index, and so does a Docker of today, which wants this name there; an older one reads
# this list. `docker save` writes both.
INDEX = "index.json"
DOCKERS_LIST = "manifest.json"
DOCKERS_NAMES = {
    "io.containerd.image.name": f"docker.io/library/{NAME}:latest",
    "org.opencontainers.image.ref.name": "latest",
}
GIT = ("git", "-c", "safe.directory=*", "-C", REPOSITORY)
SETTINGS = {
    "user": READER,
    "workingdir": CHECKOUT,
    "entrypoint": json.dumps([INIT, "--", "./lab"]),
    "cmd": "start --no-browser",
    "port": "8888",
    "env": "LAB_ADDRESS=0.0.0.0",
    "arch": "amd64",
}


def write(bundle: Path, file: Path) -> int:
    """Write the image to `file`, from a bundle of this commit; returns its size in bytes."""
    if not bundle.is_file():
        raise LabError(f"container: there is no bundle {bundle}", f"./lab bundle {bundle}")
    if not file.parent.is_dir():
        raise LabError(f"container: there is no folder {file.parent}", f"mkdir -p {file.parent}")
    if platform.machine() != "x86_64":
        raise LabError(f"container: the image is of x86-64, and this is {platform.machine()}", "the same on an x86-64")
    archive.need("buildah", "git")
    _need_the_same_commit(bundle)
    store.need_space("container", NEEDS_MIB, cache(), store.ELSEWHERE)
    store.need_space("container", NEEDS_MIB // 2, archive.unpacks_in(), ", or set TMPDIR to a folder with more")
    store.need_space("container", bundle.stat().st_size >> 19, file.parent)  # twice the bundle: more than it comes to
    with archive.scratch("container-", cache()) as folder:
        _root(bundle.resolve(), folder)
        _packed(_layout(folder), file)
    return file.stat().st_size


def _need_the_same_commit(bundle: Path) -> None:
    """Raise if the bundle is of another commit: what it lacks of this one, a container without a network never gets."""
    ours = _done([*GIT, "rev-parse", "HEAD"], "the same ./lab call, in a git clone").strip()
    said = _first_line(bundle)
    if not said.endswith(f" of commit {ours}"):
        what = f"is not of this commit ({said})" if said else "is not what ./lab bundle writes"
        raise LabError(f"container: {bundle} {what}", f"./lab bundle {bundle}")


def _first_line(bundle: Path) -> str:
    """The first line of its first file, in which write.pack() says what it is; "" of any other file."""
    try:
        with tarfile.open(bundle, "r|gz") as packed:
            for entry in packed:
                file = packed.extractfile(entry)
                return file.readline(1000).decode(errors="replace").strip() if file else ""
    except (tarfile.TarError, OSError, EOFError):
        pass
    return ""


def _root(bundle: Path, folder: Path) -> None:
    """Make the root file system, folder/root.tar."""
    checkout, root = folder / "checkout.tar", folder / "root.tar"
    _done([*GIT, "archive", f"--output={checkout}", "HEAD"], "the same ./lab call, in a git clone")
    named = sorted({INIT, *packages.named()})
    # What takes the bundle in and makes the Python environment is `lab` itself, and with --help it then ends.
    first = [
        "env",
        "-i",
        f"HOME={HOME}",
        "PATH=/usr/bin:/bin",
        f"{CHECKOUT}/lab",
        "start",
        "--bundle",
        BROUGHT,
        "--help",
    ]
    # Files that are newer than mmdebstrap's start get that time in its archive: Python is not to compare it.
    compiled = ["sh", "-c", f"python3 -m compileall -qf --invalidation-mode unchecked-hash {CACHE}/environment-*/lib"]
    hooks = [
        f'chroot "$1" useradd --create-home --shell /bin/bash {READER}',
        f'mkdir "$1{CHECKOUT}"',
        f'mkdir "$1{CHECKOUT}/work"',  # so that a volume that is mounted there is the reader's
        f"tar-in {shlex.quote(str(checkout))} {CHECKOUT}",
        f"upload {shlex.quote(str(bundle))} {BROUGHT}",
        f'chroot "$1" chown -R {READER}: {HOME}',
        f'chroot "$1" runuser -u {READER} -- {shlex.join(first)} >&2',
        f'chroot "$1" runuser -u {READER} -- {shlex.join(compiled)}',
        f'cd "$1{CACHE}" && rm -r wheels-* packages-* site "$1{BROUGHT}"',
        'rm -f "$1/etc/resolv.conf" "$1/etc/hostname"',  # this machine's
    ]
    command = Root(SUITE, named, (), hooks).command(str(root))
    with phase(f"container: Debian {SUITE}, and the bundle taken in") as progress:
        done, cause = archive.run(command, progress)
    if not done:
        raise LabError(f"container: {cause}", "./lab doctor")


def _layout(folder: Path) -> Path:
    """The image as a folder of blobs (image-layout.md), of folder/root.tar as its only layer."""
    state = [f"--root={folder / 'storage'}", f"--runroot={folder / 'run'}", "--storage-driver=vfs"]

    def buildah(*words: str | Path) -> str:
        return _done(["buildah", *state, *words], "./lab doctor").strip()

    with phase("container: making the image"):
        container = buildah("from", "scratch")
        buildah("add", "--quiet", container, folder / "root.tar", "/")
        buildah("config", *(f"--{name}={value}" for name, value in SETTINGS.items()), container)
        buildah("commit", "--quiet", "--rm", "--disable-compression=false", container, f"oci:{folder / 'image'}:{NAME}")
    return folder / "image"


def _packed(layout: Path, file: Path) -> None:
    index = json.loads((layout / INDEX).read_text())
    index["manifests"][0]["annotations"] = DOCKERS_NAMES
    (layout / INDEX).write_text(json.dumps(index))
    (layout / DOCKERS_LIST).write_text(json.dumps([dockers_list(layout)]))
    aside = file.with_name(f".{file.name}.part")
    try:
        with phase("container: packing it"), tarfile.open(aside, "w") as packed:
            for path in sorted(layout.rglob("*")):
                packed.add(path, path.relative_to(layout), recursive=False, filter=_of_nobody)
        aside.rename(file)
    except OSError as error:
        raise LabError(f"container: {error}", "fix what it names, then the same ./lab call") from error
    finally:
        aside.unlink(missing_ok=True)


def _of_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


def dockers_list(layout: Path) -> dict:
    """The entry of that list: where in this layout the image's configuration and its layers are."""

    def blob(descriptor: dict) -> str:
        return f"blobs/{descriptor['digest'].replace(':', '/')}"

    (described,) = json.loads((layout / INDEX).read_text())["manifests"]
    manifest = json.loads((layout / blob(described)).read_text())
    layers = [blob(layer) for layer in manifest["layers"]]
    return {"Config": blob(manifest["config"]), "RepoTags": [f"{NAME}:latest"], "Layers": layers}


def _done(command: list[str | Path], next: str) -> str:
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode:
        last = result.stderr.strip().splitlines()[-1:]
        raise LabError(f"container: {Path(command[0]).name}: {''.join(last)}", next)
    return result.stdout
