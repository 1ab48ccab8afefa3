"""In which kernel functions does a thread spend its time? Sampled by perf while a block runs.

    with Profile() as profile:
        send_many()
    profile.flame                     # core.draw.flame.Flame

The clock is perf's `cpu-clock`, a timer, for an emulated processor has no counters. Only the kernel
is sampled, only the thread that runs the block, and perf says when it has begun (perf-record(1),
--control).
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from pathlib import Path

from core.draw.flame import Flame
from labs.errors import CannotTry
from labs.trace.flame import parse

FREQUENCY_HZ = 2500


class Profile:
    """Samples of this thread's time in the kernel for the length of a `with` block."""

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.flame: Flame | None = None

    def __enter__(self) -> Profile:
        self._folder = tempfile.TemporaryDirectory(prefix="perf-")
        self._data = Path(self._folder.name) / "perf.data"
        order, self._order = os.pipe()
        self._answer, answer = os.pipe()
        command = [
            "perf",
            "record",
            "-q",
            "-g",
            "-D",
            "-1",
            "--control",
            f"fd:{order},{answer}",
            "--kernel-callchains",
            "-e",
            "cpu-clock:k",
            "-F",
            str(FREQUENCY_HZ),
            "-t",
            str(threading.get_native_id()),
            "-o",
            str(self._data),
        ]
        try:
            self._perf = subprocess.Popen(
                command,
                pass_fds=(order, answer),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        except FileNotFoundError as error:
            raise CannotTry("the guest has no perf", "./lab reset") from error
        finally:
            os.close(order)
            os.close(answer)
        self._tell("enable")
        return self

    def __exit__(self, kind, error, trace) -> None:
        try:
            self._tell("disable")
            self._tell("stop")
            self._perf.communicate()
            if kind is None:
                self.flame = parse(self._script(), self.title)
        finally:
            self._perf.kill()
            self._perf.wait()
            os.close(self._order)
            os.close(self._answer)
            self._folder.cleanup()

    def _tell(self, word: str) -> None:
        """Gives perf an order and waits until it says "ack"; an end of file means that it has died."""
        os.write(self._order, word.encode() + b"\n")
        if not os.read(self._answer, 16):
            raise CannotTry(f"perf record ended: {self._perf.communicate()[0].strip()}", "./lab reset")

    def _script(self) -> str:
        command = ["perf", "script", "-F", "ip,sym", "-i", str(self._data)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
