"""How much does the answer's server hold, beside its connections? What grows with each object is left behind."""

import os
import sys
import time
from pathlib import Path

from labs.cases.splice_push.delivery.asking import ANSWER_PORT
from labs.cases.splice_push.delivery.judge import Held

ENDS_S = 5.0  # what a thread that an object was sent with gets to end


def held() -> Held:
    """What the server holds now (proc(5)), but for a socket and a thread for each connection, and for who listens, who
    stay as long as the client; nothing where it has ended."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_text().split("\0")
            if words[0] == sys.executable and str(ANSWER_PORT) in words:
                names = [os.readlink(each) for each in (process / "fd").iterdir()]
                sockets, threads = sum(name.startswith("socket:") for name in names), len(os.listdir(process / "task"))
                return Held(len(names) - min(sockets, threads), threads - min(sockets, threads))
        except OSError:  # it ended meanwhile
            pass
    return Held()


def left(before: Held, objects: int) -> Held:
    """What it holds more than `before`, once so many objects have been sent. What each leaves behind stays, so a thread
    that ends a little later is waited for."""
    until = time.monotonic() + ENDS_S
    while (more := held().more_than(before)).grows_with(objects) and time.monotonic() < until:
        time.sleep(0.05)  # polling a state
    return more
