"""Does an answer wait if it fills its pipe? splice(2) takes sixteen buffers at a time from Linux 6.5 on, and miscounts
what is left then (fs/splice.c, splice_to_socket()).

    python3 -m labs.cases.splice_push.sixteenth

prints one JSON object: the kernel, how many rounds there were, and for a pipe of 15, 16 and 17 buffers, with a length
that is too long (`too_long`) and with the exact one (`exact`), in milliseconds when the whole answer had come, and
which timer the server's kernel had set meanwhile for what it held back.
"""

import json
import os
import statistics
import sys

from labs.cases.splice_push.network import Network
from labs.cases.splice_push.workload import Fetch, Fetched, Way
from labs.net.sockets import ESTABLISHED

ROUNDS = 5
COUNTS = (15, 16, 17)  # a pipe has room for sixteen (include/linux/pipe_fs_i.h, PIPE_DEF_BUFFERS), this one for more
BUFFER_BYTES = 50  # so that all of it is less than a segment
LENGTHS = {"too_long": "", "exact": "&asked=exact"}
LOOK_S = 0.1  # after the request: a timer of 200 ms still runs


def way(count: int, length: str) -> Way:
    """The request for an answer of so many buffers."""
    query = f"pieces={BUFFER_BYTES}&room={1 << 17}{LENGTHS[length]}"
    return Way(f"{count} buffers, {length}", query, size=count * BUFFER_BYTES)


def fetched(net: Network, asked: Way) -> tuple[Fetched, str]:
    """What became of the request, and the timer that was set for it when it was looked at."""
    one = Fetch(net, asked)
    one.thread.join(LOOK_S)
    held = [
        each.timer
        for each in net.server.sockets()
        if each.state == ESTABLISHED and each.queued_bytes and each.remote_port == one.port
    ]
    return one.fetched(), held[0] if held else ""


def measured(net: Network) -> dict:
    """All rounds, by the number of buffers and the length."""
    rounds = [
        {(count, length): fetched(net, way(count, length)) for count in COUNTS for length in LENGTHS}
        for _ in range(ROUNDS)
    ]
    return {
        f"buffers_{count}": {length: _of([each[count, length] for each in rounds]) for length in LENGTHS}
        for count in COUNTS
    }


def _of(rounds: list[tuple[Fetched, str]]) -> dict:
    took = [round(one.took_ms, 1) for one, _ in rounds]
    return {
        "took_ms": took,
        "median_ms": statistics.median(took),
        "missing_bytes": [one.missing_bytes for one, _ in rounds],
        "timers": [timer for _, timer in rounds],
    }


def main() -> int:
    """Prints it."""
    with Network() as net:
        print(json.dumps({"kernel": os.uname().release, "rounds": ROUNDS, **measured(net)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
