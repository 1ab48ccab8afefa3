"""Evidence made by hand: of a right answer to frag-needed/1, what a test changes in it, and rtl8139-tso's downloads."""

from dataclasses import replace

from core.cases import exercise
from core.judge.evidence import Evidence, Script, Settings
from core.wire.packet import Packet
from labs.cases.frag_needed.cure.evidence import ASKED, Another, Balanced, Bulk, Connections, Cure, Ways
from labs.cases.frag_needed.names import BALANCER, CLIENT, HOSTS, SERVER, VIP
from labs.cases.frag_needed.observed import Exchange, Observed
from labs.cases.rtl8139_tso import names as rtl8139
from labs.cases.rtl8139_tso.observed import Download


def observed(
    b_waits_ms: float,
    *icmps: Packet,
    segment_bytes: int = 1428,
    back_bytes: int = 1428,
    port: int = 7000,
    client: str = CLIENT,
) -> Observed:
    """What a network is asked after an answer, a tenth of a second apart; in each exchange a segment leaves, and one
    comes back. B waits so long at first."""
    asked = dict.fromkeys(ASKED, 20.0) | {"B": b_waits_ms}
    exchanges = [
        Exchange(name, name[0], 1448, number / 10, waits_ms) for number, (name, waits_ms) in enumerate(asked.items())
    ]
    packets = []
    for exchange in exchanges:
        sport = port + ord(exchange.connection)
        common = dict(time_s=exchange.at_s + 0.005, proto="tcp", interface="client-eth0")
        packets += [
            Packet(src=client, dst=VIP, sport=sport, dport=port, payload_bytes=segment_bytes, outgoing=True, **common),
            Packet(src=VIP, dst=client, sport=port, dport=sport, payload_bytes=back_bytes, outgoing=False, **common),
        ]
    return Observed(exchanges, [*packets, *icmps], {"IcmpMsgOutType3": len(icmps)}, b"pcap")


FRAG_NEEDED = dict(proto="icmp", icmp_type=3, icmp_code=4, next_hop_mtu=1480)
TO_SELF = Packet(0.101, CLIENT, CLIENT, outgoing=False, **FRAG_NEEDED)
FROM_BALANCER = Packet(0.004, BALANCER, CLIENT, outgoing=False, **FRAG_NEEDED)
STALLS = observed(240.0, FROM_BALANCER, TO_SELF)
CURED, CURED_TOO = observed(10.0), observed(10.0, port=443)  # the latter through the sidecar
BALANCED = [
    Balanced(f"{CLIENT}:{port + ord(name)}", f"{VIP}:{port}", f"{SERVER}:{port}")
    for port in (7000, 443)
    for name in "AB"
]
BULK = [Bulk(0.1, 0.1)] * 3
SEEN = Cure(Ways(STALLS, STALLS), Ways(CURED, CURED_TOO), 0, 0, Connections(BALANCED, 2), BULK, BULK)
SETTINGS = [Settings("balancer"), Settings("server")]
RIGHT = Evidence("frag-needed/1", "on client true", "6.1", Script(0, ""), SETTINGS, "", SEEN)
OTHER = "10.0.0.177"
ANOTHER = Another(
    OTHER,
    observed(10.0, client=OTHER),
    observed(10.0, client=OTHER, port=443),
    0,
    [replace(each, src=each.src.replace(CLIENT, OTHER)) for each in BALANCED],
    BULK,
    BULK,
)


def for_others(id: str, seen: Cure, another: Another | None = ANOTHER, **changed) -> Evidence:
    """Evidence of an exercise in which another client asks, too, without transfers where it need not be fast."""
    settings = [Settings(host) for host in (*HOSTS, "client2") if host not in exercise(id).allowed]
    if another == ANOTHER and id == "frag-needed/3":
        another = replace(another, bulk=[], tls_bulk=[])
    return replace(RIGHT, exercise=id, settings=settings, seen=replace(seen, another=another), **changed)


def seen(**changed) -> Evidence:
    return replace(RIGHT, seen=replace(SEEN, **changed))


def mended(direct: Observed) -> Evidence:
    return seen(mended=Ways(direct, CURED_TOO))


def download(
    sizes: dict[int, int],
    df: bool,
    held_up_ms: float = 0,
    icmp: int = 0,
    mss: int = 1320,
    options: int = 12,
    **router: int,
) -> Download:
    """So many segments of each payload, with so many bytes of options, a handshake, and the router's counters."""
    server = rtl8139.SERVERS["server"]
    packets = [Packet(0, rtl8139.CLIENT, server, "tcp", mss=mss)]
    packets += [
        Packet(0, server, rtl8139.CLIENT, "tcp", length_bytes=size + 40 + options, df=df, payload_bytes=size)
        for size, count in sizes.items()
        for _ in range(count)
    ]
    packets += [Packet(0, "10.8.1.1", server, "icmp", icmp_type=3, icmp_code=4, next_hop_mtu=1420)] * icmp
    counted = {f"Ip{name}": count for name, count in router.items()}
    return Download("", "server", "client", 1, 1.0, packets, {"TcpRetransSegs": 9}, counted, {}, held_up_ms=held_up_ms)


CUT = {1448: 5, 100: 2}
BROKEN = download(CUT, True, icmp=2, FragFails=5)
