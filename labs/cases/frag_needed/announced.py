"""Which MSS does a client announce that has learnt a smaller MTU? In Linux 6.1 that of what was learnt, in 6.12
that of what is configured (commit 2640e6419594, as Debian has it).

    python3 -m labs.cases.frag_needed.announced

prints one JSON object: the kernel, the MSS in the SYN `before` the balancer's ICMP and `after` it, the client's largest
segment on the later connection (`later_segment_bytes`), and whether that was refused (`later_icmps`).
"""

import json
import os
import sys

from labs.cases.frag_needed.names import CLIENT
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.workload import Direct, Watch


def measured(net: Network) -> dict:
    """One connection before the ICMP, which it causes, and one after it."""
    with Watch(net) as watch:
        for name in ("A", "C"):
            watch.open(Direct, name)
            watch.ask(name)
    seen = watch.seen
    before, after = [
        packet.mss
        for packet in seen.packets
        if packet.src == CLIENT and packet.flags == "SYN" and packet.interface != "lo"
    ]
    return {
        "before": before,
        "after": after,
        "later_segment_bytes": max(packet.payload_bytes for packet in seen.sent("C")),
        "later_icmps": len(seen.icmp_from_balancer("C") + seen.icmp_to_self("C")),
    }


def main() -> int:
    """Prints it."""
    with Network() as net:
        print(json.dumps({"kernel": os.uname().release, **measured(net)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
