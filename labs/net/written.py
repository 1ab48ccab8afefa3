"""Was a kernel parameter of a host's written to, and what did it hold then? Told by inotify, so what is put back a
moment later is seen, too.

    with Written(client, "net/ipv4/route/mtu_expires") as written:
        something()
    written.values        # ["600", "3"]: what it held after each write; none if nobody wrote to it

What it held is read as soon as the write is told of. Two writes right behind each other may both be read as the second.
"""

from __future__ import annotations

import ctypes
import os
import select
import threading
from pathlib import Path

from labs.net.topology import Node

IN_MODIFY = 2  # include/uapi/linux/inotify.h; vfs_write() tells of files in /proc as of any other (fsnotify_modify())
_libc = ctypes.CDLL(None, use_errno=True)


class Written:
    """The values of one parameter of this host, for the length of a `with` block."""

    def __init__(self, node: Node, name: str) -> None:
        self.node, self.path = node, Path("/proc/sys", name)
        self.values: list[str] = []

    def __enter__(self) -> Written:
        # As long as the file is open, all in this network namespace who look its path up find this inode.
        with self.node.inside():
            self._file = os.open(self.path, os.O_RDONLY)
            self._inotify = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            if self._inotify < 0 or _libc.inotify_add_watch(self._inotify, os.fsencode(self.path), IN_MODIFY) < 0:
                raise OSError(ctypes.get_errno(), f"expected to be told of writes to {self.path}")
        self._over, self._end = os.pipe()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        os.close(self._end)
        self._thread.join()
        for descriptor in (self._file, self._inotify, self._over):
            os.close(descriptor)

    def _listen(self) -> None:
        over = False
        while not over:
            ready, _, _ = select.select([self._inotify, self._over], [], [])
            over = self._over in ready
            if self._inotify in ready:  # also at the end: what was told of before it counts
                os.read(self._inotify, 4096)
                self.values.append(os.pread(self._file, 64, 0).decode().strip())
