# As RFC 6724 has a program ask: a socket that is connected and sends nothing tells which source the kernel would take
# (getsockname()). The packets then leave by sockets of their own, connected once. That are two choices for each peer, and
# none at a packet. What is given up: the answer is as old as the question.
import socket
import sys

NODE = "2001:db8:1::2"
count, *words = sys.argv[1:]
peers = list(zip(words[::2], map(int, words[1::2])))


def connected(peer):
    sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sender.connect(peer)
    return sender


for peer in peers:
    with connected(peer) as asking:
        source = asking.getsockname()[0]
    if source != NODE:
        sys.exit(f"packets to {peer[0]} would come from {source}")
for sender in map(connected, peers):
    for _ in range(int(count)):
        sender.send(b"?")
