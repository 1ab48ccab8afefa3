"""How long does a first start take, from an empty cache to JupyterLab's address? Debian's packages are there
already, as on any machine that has the lab."""

import contextlib
import os
import re
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from host.errors import LabError
from host.paths import REPOSITORY, cache

LAB = REPOSITORY / "lab"
ENDS_S = 30  # that JupyterLab gets to end in
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*token=")


def seconds(bundle: Path | None = None, lab: Path = LAB) -> float:
    """The time, with what the network gives, or a bundle. Raises LabError if it ends without an address."""
    with tempfile.TemporaryDirectory(dir=cache()) as home:
        ours = {**os.environ, "XDG_CACHE_HOME": home, "JUPYTER_DATA_DIR": f"{home}/jupyter", "LAB_SHARED_CACHE": ""}
        words = [str(lab), "start", "--no-browser", f"--port={_free_port()}"]
        words += [f"--bundle={bundle}"] if bundle else []
        began, last = time.monotonic(), ""
        with subprocess.Popen(words, env=ours, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as started:
            try:
                for last in started.stderr or ():
                    if ADDRESS.search(last):
                        return time.monotonic() - began
            finally:
                _end(started)
                subprocess.run([lab, "down"], env=ours, capture_output=True)
    raise LabError(f"first start: no address of JupyterLab came; it said at last: {last.strip()}", "./lab doctor")


def _end(started: subprocess.Popen) -> None:
    """Has it end. JupyterLab prints its address a moment before it listens to signals, and then has not heard of the
    first: seen once, and it would have been waited for without end."""
    for _ in range(ENDS_S):
        started.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.wait(1)
            return
    started.kill()
    started.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]
