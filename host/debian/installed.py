"""Which Debian packages does this machine lack, and may we install them?"""

import ctypes
import os
import shutil
import subprocess
import sys

from host.errors import LabError
from host.paths import FETCHING
from host.phases import phase, say

# The command, library or header that proves a package is there, and the package, with its reason.
PACKAGES = {
    "qemu-system-x86_64": "qemu-system-x86",  # runs the guest
    "mmdebstrap": "mmdebstrap",  # builds it
    "mksquashfs": "squashfs-tools",  # packs it
    "newuidmap": "uidmap",  # lets mmdebstrap build without root
    "bwrap": "bubblewrap",  # keeps QEMU in, and a reader's C
    "ssh": "openssh-client",  # reaches it
    "ssh-keygen": "openssh-client",  # makes its keys
    "xz": "xz-utils",  # unpacks the kernel source
    "ctags": "universal-ctags",  # finds functions in it
    "dot": "graphviz",  # draws the book's charts
    "chromium": "chromium",  # draws previews, prints the book; the tests open the book in it
    "libatomic.so.1": "libatomic1",  # Playwright's driver, which moves Chromium, is linked with it
    "firefox-esr": "firefox-esr",  # one test opens the book in it
    "pahole": "dwarves",  # writes type information for the kernel in a tab
    "buildah": "buildah",  # makes an image for Docker and Podman
    "git": "git",  # packs the commit that goes into it
    "dpkg-source": "dpkg-dev",  # unpacks the source of QEMU as Debian patches it
    "patch": "patch",  # puts our own change into it; what follows builds it
    "cc": "gcc",
    "make": "make",
    "meson": "meson",
    "ninja": "ninja-build",
    "pkg-config": "pkg-config",
    "/usr/include/stdio.h": "libc6-dev",
    "/usr/include/zlib.h": "zlib1g-dev",
    "/usr/include/glib-2.0/glib.h": "libglib2.0-dev",
    "/usr/include/pixman-1/pixman.h": "libpixman-1-dev",
    "/usr/include/slirp/libslirp.h": "libslirp-dev",
    "/usr/include/libfdt.h": "libfdt-dev",
    "/usr/include/seccomp.h": "libseccomp-dev",
}
BOOK = ["ctags", "dot"]
TESTS = [*BOOK, "chromium", "libatomic.so.1", "pahole"]
SECOND_BROWSER = ["firefox-esr"]  # 80 MB, for a test that most runs leave out
QEMU_BUILD = list(PACKAGES)[list(PACKAGES).index("dpkg-source") :]  # for chapters with a QEMU of their own
CONTAINER = ["buildah", "git"]
LAB = [name for name in PACKAGES if name not in {*TESTS, *SECOND_BROWSER, *CONTAINER, *QEMU_BUILD} - {"ctags"}]


def missing(names) -> list[str]:
    """The packages of those commands, libraries and headers that are not there, sorted."""
    return sorted({PACKAGES[name] for name in names if not _there(name)})


def _there(name: str) -> bool:
    if name.startswith("/"):
        return os.path.exists(name)
    if ".so." not in name:
        return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") is not None
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def install_command(packages) -> str:
    """What a person would type to install them; sudo drops what it is not told to keep."""
    proxies = ",".join(name for name in ("http_proxy", "https_proxy", "no_proxy") if os.environ.get(name))
    sudo = f"sudo {f'--preserve-env={proxies} ' if proxies else ''}" if os.getuid() else ""
    return f"{sudo}apt-get install -y --no-install-recommends {' '.join(packages)}"


def need(*names: str) -> None:
    """Install what is missing, as root or by sudo; else raise with the exact command."""
    packages = missing(names)
    if not packages:
        return
    command = install_command(packages)
    if os.getuid() != 0:
        silent = shutil.which("sudo") and _sudo_is_silent()
        if not shutil.which("sudo") or not (silent or sys.stdin.isatty()):
            raise LabError(f"Debian packages are missing: {' '.join(packages)}", command)
        say(f"root is needed for: {command}")
        if not silent:
            subprocess.run(["sudo", "-v"])  # asks for the password before the progress line is drawn
    with phase(f"Debian packages: {' '.join(packages)}"):
        for arguments in (["update", "-qq"], command.split("apt-get ")[1].split()):
            result = subprocess.run(
                ["sh", FETCHING / "apt-get.sh", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            if result.returncode != 0:
                last = "\n".join(result.stdout.splitlines()[-5:])
                raise LabError(f"apt-get {arguments[0]} failed:\n{last}", command)
    if still := [name for name in names if not _there(name)]:
        raise LabError(f"{' '.join(packages)} installed, and still not found: {' '.join(still)}", "./lab doctor")


def _sudo_is_silent() -> bool:
    """Whether sudo asks for nothing. Not by `sudo -v`, which asks for a password even where a rule of sudoers says
    NOPASSWD for every command, as on a cloud's images."""
    return subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0
