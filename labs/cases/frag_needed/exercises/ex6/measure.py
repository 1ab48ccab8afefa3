"""What does the client make of two messages that an answer to exercise 6 has crafted? judge.py judges it.

The answer only makes them (craft.py), with nobody's rights; they are sent by us, from a host beside the path. Meanwhile
a segment of the client's is in flight, so that tcp_v4_err() hears of more numbers than one: of all from snd_una to
snd_nxt. No packet is too large on this network as it is: whatever the client learns of a smaller MTU, it has from these
two.
"""

import contextlib
import json
import shlex
import socket
import tempfile
from pathlib import Path

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.frag_needed.exercises.ex6.judge import Crafted, Sent
from labs.cases.frag_needed.names import BYSTANDER, CLIENT, ECHO_PORT, VIP
from labs.cases.frag_needed.network import Hosts, Network
from labs.cases.frag_needed.workload import Direct, Watch
from labs.errors import CouldNotTell
from labs.net.counters import counters, moved
from labs.take.answer import DROP_TO_NOBODY, applied
from labs.take.script import Taking
from labs.take.standing import taken
from labs.wire.capture import Capture, raw

PROGRAM = Path(__file__).with_name("craft.py")
DEADLINE_S = 60  # Scapy takes seconds to import under emulation
IN_FLIGHT_BYTES = 100


class HostsAndBystander(Hosts):
    """The report's, and one on the same bridge that no packet of theirs goes through."""

    def build(self) -> None:
        super().build()
        self.addLink(self.addHost("bystander", ip=f"{BYSTANDER}/24"), "lan", params2={"delay": "2ms"})


def beside_the_path() -> Network:
    """A network without the fault, and with `bystander` beside the path, where packets are crafted."""
    net = taken(Network)
    try:
        net.extend(HostsAndBystander())
        net.without_tunnel()
    except BaseException:
        net.close()
        raise
    return net


def take(exercise: Exercise, answer: str) -> Evidence:
    """Send both messages on a network of its own."""
    taking, seen = Taking(exercise, answer), Crafted()
    with beside_the_path() as net:
        with taking.network_errors_noted():
            observe(taking, seen, net)
        if taking.unanswered:  # who only makes packets breaks no network
            raise CouldNotTell(f"what was to be seen did not happen: {taking.unanswered}")
    return taking.evidence(seen)


def observe(taking: Taking, seen: Crafted, net: Network) -> None:
    """The message to be ignored is sent first: it is to meet a client that has learnt nothing."""
    seen.shown, connection = in_flight(net)
    try:
        made = crafted(taking, seen.shown, net)
        if not made:
            return
        seen.ignored, seen.heard = sent(made["ignored"], net), sent(made["heard"], net)
        if not connection.info().unacked:
            raise CouldNotTell("the segment that was to be in flight was acknowledged")
    finally:
        connection.close()
    net.server.on(f"ip address add {VIP}/32 dev tunl0")
    seen.next_bytes = next_bytes(net)


def in_flight(net: Network) -> tuple[list[bytes], Direct]:
    """The packets of a new connection, as a mirror of the client's port would show them, and the connection: the last
    packet is a segment of the client's that stays in flight, for the server has no VIP any more. (With tunl0 down it
    would have: the address stays, and here nothing comes by a tunnel.)"""
    mirrored = net.folder / "mirror.pcap"
    with net.client.inside(), Capture(mirrored, "client", "client-eth0", f"tcp port {ECHO_PORT}"):
        connection = Direct(net, "shown")
        connection.ask()
        net.settle()
        net.server.on(f"ip address delete {VIP}/32 dev tunl0")
        connection.socket.sendall(b"!" * IN_FLIGHT_BYTES)
    return raw(mirrored), connection


def crafted(taking: Taking, shown: list[bytes], net: Network) -> dict[str, bytes]:
    """The two packets that the answer makes, by its functions' names; none if it has failed."""
    with tempfile.TemporaryDirectory() as folder:
        program, answer = Path(folder, "craft.py"), Path(folder, "answer.py")
        program.write_text(PROGRAM.read_text())
        answer.write_text(taking.answer)
        Path(folder).chmod(0o755)
        words = [*DROP_TO_NOBODY, "python3", "-I", f"{program}", f"{answer}", *(packet.hex() for packet in shown)]
        script = f"cd /tmp; {shlex.join(['on', 'bystander', *words])}"  # where it may write
        with applied(
            script, {"bystander": net.bystander.pid}, {"bystander"}, DEADLINE_S, shown=[folder]
        ) as taking.script:
            pass
    return {} if taking.script.problems() else packets(taking.script.output)


def packets(output: str) -> dict[str, bytes]:
    """What the last line has, which may be the answer's own; none if it is no such line."""
    # RecursionError: brackets without end are JSON, too.
    with contextlib.suppress(ValueError, LookupError, TypeError, RecursionError):
        made = json.loads(output.splitlines()[-1])
        return {name: bytes.fromhex(made[name]) for name in ("ignored", "heard")}
    return {}


def sent(packet: bytes, net: Network) -> Sent:
    """A packet, sent to the client from beside the path, and what came of it."""
    before, refused = counters(net.client), ""
    with net.bystander.inside(), socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sender:
        try:
            sender.sendto(packet, (CLIENT, 0))
        except OSError as error:
            refused = f"{error.strerror}"
    # By the same way: when this is answered, the client has had what was sent before it.
    net.bystander.on(f"ping -n -c 1 {CLIENT}")
    return Sent(packet, refused, moved(before, counters(net.client)), net.client.on(f"ip route get {VIP}").strip())


def next_bytes(net: Network) -> list[int]:
    """The lengths of the packets with data that the client's next connection sends."""
    with Watch(net) as watch:
        (connection,) = watch.open(Direct, "next")
        port = connection.port
        watch.ask("next")
    return [packet.length_bytes for packet in watch.seen.sent("next") if packet.sport == port]
