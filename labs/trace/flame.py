"""Reads sampled stacks as `perf script` prints them, and adds them up to a flame graph."""

import re
from collections import Counter

from core.draw.flame import Flame
from labs.trace.stacks import function_name

_FRAME = re.compile(r"^\s+[0-9a-f]+\s+(\S+)")


def parse(script: str, title: str = "") -> Flame:
    """What `perf script -F ip,sym` printed: a block of frames for each sample, newest first."""
    stacks: Counter[tuple[str, ...]] = Counter()
    for block in re.split(r"\n\s*\n", script):
        frames = [function_name(found[1]) for line in block.splitlines() if (found := _FRAME.match(line))]
        if frames:
            stacks[tuple(reversed(frames))] += 1
    return Flame(stacks, title)
