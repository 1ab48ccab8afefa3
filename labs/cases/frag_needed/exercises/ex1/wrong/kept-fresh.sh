# expect: no-frag-needed-between
# What the client has learnt is told to it again, five times a second, so it is there whenever somebody sends: and whoever
# ends this process has the stall back.
on client python3 - >/dev/null 2>&1 <<'END' &
import socket, time

own, service = (socket.inet_aton(address) for address in ("10.0.0.1", "10.0.0.2"))
refused = bytes([0x45, 0, 5, 220, 0, 0, 64, 0, 64, 1, 0, 0]) + own + service + bytes(8)
message = bytes([3, 4, 0, 0, 0, 0, 5, 200]) + refused
words = sum(int.from_bytes(message[at : at + 2], "big") for at in range(0, len(message), 2))
words = (words >> 16) + (words & 0xFFFF)
message = message[:2] + (0xFFFF - (words >> 16) - (words & 0xFFFF)).to_bytes(2, "big") + message[4:]
teller = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
while True:
    teller.sendto(message, ("10.0.0.1", 0))
    time.sleep(0.2)
END
until on client ip route get 10.0.0.2 | grep expires; do sleep 0.1; done
