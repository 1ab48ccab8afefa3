# expect: few-choices
# Asked before, connected, asked again at the end: three for one peer, and one for the other. The sum is as allowed.
import socket
import sys

NODE = "2001:db8:1::2"
count, *words = sys.argv[1:]
peers = list(zip(words[::2], map(int, words[1::2])))


def connected(peer):
    sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sender.connect(peer)
    return sender


def source():
    with connected(peers[0]) as asking:
        return asking.getsockname()[0]


before = source()
senders = [connected(peer) for peer in peers]
for _ in range(int(count)):
    for sender in senders:
        sender.send(b"?")
after = source()  # has it changed meanwhile?
if not before == after == NODE:
    sys.exit(f"packets came from {before}, and would now come from {after}")
