"""May mmdebstrap build a root file system here? It mounts things and changes its root: as root, or as the root of a
user namespace with the user's subordinate ids (user_namespaces(7), subuid(5)). A container may forbid either."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from host.errors import LabError

SYSCTL = Path("/proc/sys")
# Each switch that forbids user namespaces, with the value that does, and the one that lets them be.
FOR_ALL = "user/max_user_namespaces"  # the others leave them to root
SWITCHES = {
    FOR_ALL: ("0", "15000"),
    "kernel/unprivileged_userns_clone": ("0", "1"),  # Debian's
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),  # Ubuntu's
}
SUBORDINATE = (Path("/etc/subuid"), Path("/etc/subgid"))
CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))  # by Docker and by Podman
OUTSIDE = "call ./lab outside of the container"


def need() -> None:
    """Make sure that building may begin; else raise an error with what forbids it and what to do."""
    if found := forbidden():
        why, next = found
        raise LabError(f"nothing can be built from Debian's archive here: {why}", next)


def forbidden() -> tuple[str, str] | None:
    """What forbids a build from Debian's archive, found by trying, and what to do; None if nothing does."""
    if os.getuid() == 0:
        if said := _refused("--mount"):
            return f"root may not mount or chroot ({said})", OUTSIDE
        return None
    if said := _refused("--user", "--map-root-user", "--mount"):
        return switched_off() or (f"user namespaces are forbidden ({said})", OUTSIDE)
    user = _user()
    if lacking := [str(file) for file in SUBORDINATE if not _has_range(file, user)]:
        ranges = "--add-subuids 100000-165535 --add-subgids 100000-165535"
        return f"no range for {user} in {' and '.join(lacking)}", f"sudo usermod {ranges} {user}"
    if shutil.which("newuidmap") and (said := _refused("--user", "--map-auto", "--map-root-user", "--mount")):
        if "unrecognized option" not in said:  # util-linux before 2.38, which cannot try this
            return f"newuidmap may not map the ids of {user} ({said})", OUTSIDE
    return None


def switched_off() -> tuple[str, str] | None:
    """The kernel's switch that forbids this user user namespaces, and how to turn it; None if none does."""
    for name, (forbids, allows) in SWITCHES.items():
        if name != FOR_ALL and os.getuid() == 0:
            continue
        if _read(SYSCTL / name).strip() == forbids:
            switch, who = name.replace("/", "."), "nobody" if name == FOR_ALL else "only root"
            return f"{switch} is {forbids}, so {who} makes user namespaces", f"sudo sysctl {switch}={allows}"
    return None


def in_container() -> bool:
    """Whether this is a container of Docker's or Podman's, which mostly forbid namespaces within it."""
    return any(file.exists() for file in CONTAINERS)


def _refused(*namespaces: str) -> str:
    """What `unshare` says if in new namespaces of these kinds one may not mount or chroot; "" if one may."""
    trial = "mount -t tmpfs none /tmp && chroot / true"
    result = subprocess.run(
        ["unshare", *namespaces, "sh", "-c", trial],
        env={**os.environ, "LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    said = result.stderr.strip().splitlines() or [f"unshare ended with status {result.returncode}"]
    return said[0] if result.returncode else ""


def _user() -> str:
    """The user's name, or number: a container may run as one that has no name."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _has_range(file: Path, user: str) -> bool:
    """Whether the user has subordinate ids in it."""
    return any(line.split(":")[0] in (user, str(os.getuid())) for line in _read(file).splitlines())


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
