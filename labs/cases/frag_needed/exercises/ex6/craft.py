"""Which packets does an answer to exercise 6 make? A program of its own, beside the path, with nobody's rights:

    python3 -I craft.py ANSWER PACKET…

Each PACKET is one that the mirror port has shown, in hexadecimal; the answer gets them as Scapy has them. The last line
that this prints has the two that it makes: {"ignored": …, "heard": …}. Nothing of labs/ is imported, for it may be read
by root alone.
"""

import json
import runpy
import sys

from scapy.layers.inet import IP
from scapy.packet import Packet

file, *shown = sys.argv[1:]
answer, made = runpy.run_path(file), {}
for name in ("ignored", "heard"):
    if not callable(answer.get(name)):
        sys.exit(f"there is no function {name}(seen) in it")
    packet = answer[name]([IP(bytes.fromhex(one)) for one in shown])
    if not isinstance(packet, Packet) or IP not in packet:
        sys.exit(f"{name}(seen) returned {packet!r}, expected one IP packet of Scapy's"[:500])
    made[name] = bytes(packet[IP]).hex()
print(f"\n{json.dumps(made)}")  # a line of its own, whatever the answer has printed
