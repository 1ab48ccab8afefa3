"""Which processes belong together, and how long were they at work? By version 2 of cgroups (cgroup-v2.rst)."""

from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


def ours() -> Path:
    """The folder of the cgroup that this process is in."""
    return ROOT / Path("/proc/self/cgroup").read_text().strip().rpartition(":")[2].lstrip("/")


def below_ours() -> list[Path]:
    """The folders of the cgroups right below that: of an answer that is judged, if there is one."""
    return [path.parent for path in ours().glob("*/cpu.stat")]


def used_s(group: Path) -> float:
    """How long its processes have been at work, in seconds; `usage_usec` is there without any controller. None of one
    that is being removed."""
    try:
        lines = (group / "cpu.stat").read_text().splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in lines if line.startswith("usage_usec ")) / 1e6


def processes(group: Path) -> list[int]:
    """The ids of the processes in it."""
    return [int(line) for line in (group / "cgroup.procs").read_text().split()]
