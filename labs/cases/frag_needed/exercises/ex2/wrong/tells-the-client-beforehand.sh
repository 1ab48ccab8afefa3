# expect: no-frag-needed-direct
# The client is told of the small MTU before it sends anything, by a message about an echo reply, which TCP is not asked
# about. It remembers that for ten minutes, or until somebody flushes what it remembers.
on balancer python3 - <<'END'
from scapy.layers.inet import ICMP, IP
from scapy.sendrecv import send

refused = IP(src="10.0.0.1", dst="10.0.0.2", flags="DF", len=1500) / ICMP(type=0)
send(IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=1480) / refused, verbose=False)
END
