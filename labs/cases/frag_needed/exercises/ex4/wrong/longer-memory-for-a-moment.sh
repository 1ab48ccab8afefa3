# expect: exceptions-expire
# The setting is as it was before anybody can look. But in between the client was told once more, by itself, in the name of
# a router that has refused a ping's answer; and what it learnt then is to be kept for ten minutes.
on client python3 - <<'END'
import socket

own, service = (socket.inet_aton(address) for address in ("10.0.0.1", "10.0.0.2"))
refused = bytes([0x45, 0, 5, 220, 0, 0, 64, 0, 64, 1, 0, 0]) + own + service + bytes(8)
message = bytes([3, 4, 0, 0, 0, 0, 5, 200]) + refused
words = sum(int.from_bytes(message[at : at + 2], "big") for at in range(0, len(message), 2))
words = (words >> 16) + (words & 0xFFFF)
message = message[:2] + (0xFFFF - (words >> 16) - (words & 0xFFFF)).to_bytes(2, "big") + message[4:]
teller = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)

def expires(seconds):
    with open("/proc/sys/net/ipv4/route/mtu_expires", "w") as file:
        file.write(seconds)


expires("600")
teller.sendto(message, ("10.0.0.1", 0))
expires("6")
END
