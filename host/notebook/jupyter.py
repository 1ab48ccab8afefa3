"""How does the reader get from `./lab start` to a notebook with a root kernel in the guest?"""

import json
import os
import shutil
import socket
import sys
from pathlib import Path

import jupytext
import nbformat
from jupyter_core.paths import jupyter_data_dir

from core import cases
from core.files import write_whole
from core.statuses import Status
from host import locks
from host.debian import installed, namespaces
from host.errors import LabError
from host.notebook import pairs, server
from host.paths import REPOSITORY, cache, run
from host.phases import phase, say
from host.vm import guests, image
from host.vm.profile import names

WORK = REPOSITORY / "work"
LOOPBACK = "127.0.0.1"


def kernel_name(profile_name: str) -> str:
    """The kernelspec of a profile: "lab-vm", or "lab-vm-NAME" for one that is not the stock one."""
    return "lab-vm" if profile_name == "stock" else f"lab-vm-{profile_name}"


def display_name(profile_name: str) -> str:
    """What a person reads of that kernelspec."""
    return "Lab VM (root)" if profile_name == "stock" else f"Lab VM (root), {profile_name}"


def kernelspecs(folder: Path) -> None:
    """Write a kernelspec for each profile below `folder`, for this checkout and environment."""
    for name in names():
        spec = {
            "argv": [sys.executable, "-P", "-m", "host.notebook.kernel", name, "{connection_file}"],
            "display_name": display_name(name),
            "language": "python",
            "interrupt_mode": "message",  # a signal would reach ssh, not the kernel
            "env": {"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"},
        }
        target = folder / "kernels" / kernel_name(name)
        target.mkdir(parents=True, exist_ok=True)
        write_whole(target / "kernel.json", json.dumps(spec, indent=1))


def environment() -> dict[str, str]:
    """The environment in which Jupyter's programs find this checkout's kernelspecs first."""
    folder = cache() / "jupyter"
    kernelspecs(folder)
    config = folder / "config"
    (config / "labconfig").mkdir(parents=True, exist_ok=True)
    (config / "labconfig" / "page_config.json").write_text(json.dumps({"disabledExtensions": server.NO_LAB_EXTENSIONS}))
    return {
        **os.environ,
        "JUPYTER_PATH": _before("JUPYTER_PATH", folder),
        "JUPYTER_CONFIG_PATH": _before("JUPYTER_CONFIG_PATH", config),
        # Where a kernel's sockets are: it is this user's alone, and short, see run().
        "JUPYTER_RUNTIME_DIR": str(run() / "jupyter"),
    }


def in_fresh_guest() -> dict[str, str]:
    """Variables for a program whose kernels each have a guest of their own, that ends with them. Set in this process
    too: jupyter_client looks for kernelspecs in its own environment."""
    ours = environment() | {"LAB_FRESH_GUEST": "1"}
    os.environ["JUPYTER_PATH"] = ours["JUPYTER_PATH"]
    return ours


def _before(variable: str, folder: Path) -> str:
    """The value of a search path with `folder` as its first entry."""
    return os.pathsep.join(filter(None, [str(folder), os.environ.get(variable)]))


def start(case: str, port: int, browser: bool) -> None:
    """Become JupyterLab on our `address()` and this port, with everything that it needs made and up, at the
    notebook of that case, or of the first chapter if none is named."""
    asked = notebook_of(case) if case else None
    on = address()
    _need_free(on, port)
    image.need()
    if os.environ.get("LAB_PACKAGES"):
        _compiler_of_a_bundle()
    guests.up(cases.case(case).profile if case else "stock")
    env = environment()
    kernelspecs(Path(jupyter_data_dir()))  # other editors, such as VS Code, look here
    with phase("notebooks: your copies in work/"):
        first = copy_for_the_reader()
        opened = asked or first
    stays = "; the VM stays up until ./lab down" if on == LOOPBACK else ""  # a container ends with us
    say(f"JupyterLab: starting; its address, with a token, follows (Ctrl-C ends it{stays})")
    if on != LOOPBACK:  # of the addresses that Jupyter prints, the first is that of the container
        say(f"in the browser, outside: the address that begins with http://{LOOPBACK}:{port}; the other one is refused")
    elif not browser:
        # The policy of its pages names the port (server.py): with another number a browser loads none of their scripts.
        say(f"from another machine: ssh -L {port}:127.0.0.1:{port} HOST, with this number twice; then that address")
    os.set_inheritable(locks.kept_from_ageing(run()), True)
    os.chdir(cache() / "jupyter")  # Jupyter runs configuration that it finds where it is started
    os.execve(sys.executable, server.command(on, port, browser, opened, list(map(kernel_name, names()))), env)


def address() -> str:
    """Where it listens: on loopback, or where LAB_ADDRESS says, in a container, of which only a port is published.
    Elsewhere all that is between this machine and a browser would read what they say: it is not encrypted."""
    asked = os.environ.get("LAB_ADDRESS") or LOOPBACK
    if asked != LOOPBACK and not namespaces.in_container():
        raise LabError(
            f"LAB_ADDRESS is {asked}, and this is no container", "unset LAB_ADDRESS; then the same ./lab call"
        )
    return asked


def _compiler_of_a_bundle() -> None:
    """Chapter 2 asks for a compiler, for its exercise in C, and for its QEMU if the bundle has none that is built. It
    is at hand now, and without a network at no later time."""
    try:
        installed.need(*installed.QEMU_BUILD)
    except LabError as error:
        say(f"chapter 2 will have no compiler: {error}")


def notebook_of(case: str) -> Path:
    """Where the reader's copy of a case's notebook lies; raises if there is no such case or notebook."""
    name = cases.case(case).name
    if not (pairs.NOTEBOOKS / f"{name}.md").exists():
        raise LabError(f"{name} has no notebook yet", "./lab start", Status.USAGE)
    return WORK / f"{name}.ipynb"


def fresh(case: cases.Case) -> nbformat.NotebookNode:
    """The case's notebook without outputs, for the kernel of the machine that its chapter needs."""
    notebook = pairs.fresh(pairs.NOTEBOOKS / f"{case.name}.md")
    notebook.metadata["kernelspec"] = {
        "name": kernel_name(case.profile),
        "display_name": display_name(case.profile),
        "language": "python",
    }
    return notebook


def copy_for_the_reader() -> Path:
    """Put a copy of each notebook and of each untouched exercise into work/, where the reader
    writes; what is there already is left alone. Returns the first chapter's notebook."""
    first = None
    for case in cases.cases().values():
        text = pairs.NOTEBOOKS / f"{case.name}.md"
        if not text.exists():
            continue
        copy = WORK / f"{case.name}.ipynb"
        first = first or copy
        WORK.mkdir(exist_ok=True)
        if not copy.exists():
            write_whole(copy, jupytext.writes(fresh(case), fmt="ipynb"))
        for exercise in case.exercises:
            answer = WORK / case.name / f"{exercise.number}{exercise.suffix}"
            answer.parent.mkdir(exist_ok=True)
            if not answer.exists():
                shutil.copyfile(exercise.start, answer)
    if first is None:
        raise LabError("there is no notebook in notebooks/", "git status", Status.USAGE)
    return first


def _need_free(address: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            raise LabError(
                f"port {port} on {address} cannot be used ({error.strerror})",
                f"./lab start --port {port + 1}",
                Status.USAGE,
            ) from error
        except OverflowError as error:
            raise LabError(f"{port} is no port; ports go from 1 to 65535", "./lab start", Status.USAGE) from error
