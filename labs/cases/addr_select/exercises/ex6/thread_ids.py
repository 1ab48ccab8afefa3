"""How do two threads get ids that agree in part? A program may keep what it knows of a thread by a part of its id. It
is wrong then, and is found out only where two such threads are at work at the same time.

The kernel gives the next number that is free, and which one is next can be set: ns_last_pid is there where the kernel
was built with CONFIG_CHECKPOINT_RESTORE, as Debian's is (pid_ns_ctl_handler() in kernel/pid_namespace.c).
"""

import contextlib
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from labs.cases.addr_select.exercises.ex6.judge import LARGEST_ID
from labs.errors import CannotTry, CouldNotTell

LAST, LIMIT = Path("/proc/sys/kernel/ns_last_pid"), Path("/proc/sys/kernel/pid_max")
FIRST_OF = 2  # the first of two threads gets a multiple of it: its neighbour's id differs in the last bit alone
TRIES = 20


@contextlib.contextmanager
def any_id() -> Iterator[None]:
    """Have the kernel give ids up to LARGEST_ID, and not to 32768 as on a small machine; afterwards it goes on from
    where it was."""
    if not LAST.exists():
        raise CannotTry(f"the kernel has no {LAST}, so no two threads with ids alike are at work", "./lab reset")
    before = [(file, file.read_text()) for file in (LIMIT, LAST)]
    LIMIT.write_text(f"{LARGEST_ID}")
    try:
        yield
    finally:
        for file, text in before:
            file.write_text(text)


@contextlib.contextmanager
def two_threads(apart: int) -> Iterator[list[ThreadPoolExecutor]]:
    """Two pools of one thread each, whose ids are so far apart. Somebody else may have got a number in between, or has
    it: then it is tried with others."""
    for _ in range(TRIES):
        first = FIRST_OF * random.randrange(1, (LARGEST_ID - apart) // FIRST_OF)
        with contextlib.ExitStack() as stack:
            pools = [stack.enter_context(ThreadPoolExecutor(1)) for _ in range(2)]
            if all(has(pool, number) for pool, number in zip(pools, (first, first + apart))):
                yield pools
                return
    raise CouldNotTell(f"no two threads got ids that are {apart} apart, in {TRIES} tries")


def has(pool: ThreadPoolExecutor, number: int) -> bool:
    """Whether the pool's thread, which begins now, has this id."""
    LAST.write_text(f"{number - 1}")
    return pool.submit(threading.get_native_id).result() == number
