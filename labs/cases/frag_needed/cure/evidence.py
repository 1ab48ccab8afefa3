"""What is seen of an answer to exercises 1 to 3? measure.py takes it, judge.py judges it.

Balancer and server are not one client's alone. Where they are the answer's, another client has asked, too.
"""

from dataclasses import dataclass, field
from enum import Enum

from labs.cases.frag_needed.observed import Observed
from labs.judge.judging import there

STALLING = ("A", "B")  # as the untouched network is asked
SMALL, LARGE = "A small", "B large"
ASKED = ("A", "B", "B again", SMALL, LARGE)  # in the mended one, in this order
BULK_ROUNDS = 3


class ForAnother(Enum):
    """What an exercise asks for another client: nothing, for there is none; to be served; or to be as fast as the
    first."""

    NOTHING = 0
    SERVED = 1
    AS_FAST = 2


@dataclass
class Ways:
    """One network's exchanges, past the sidecar and through it."""

    direct: Observed | None = None
    sidecar: Observed | None = None

    def each(self) -> dict[str, Observed]:
        """What was seen of each way, by the words for it."""
        return {"direct": there(self.direct), "through the sidecar": there(self.sidecar)}

    def has(self, *names: str) -> bool:
        """Whether both ways were seen, with exchanges of these names."""
        return all(asked(seen, *names) for seen in (self.direct, self.sidecar))


def asked(seen: Observed | None, *names: str) -> bool:
    """Whether exchanges of these names were seen."""
    return seen is not None and {*names} <= {exchange.name for exchange in seen.exchanges}


@dataclass(frozen=True)
class Balanced:
    """A connection as IPVS has it: from where to which service it came, and to which server it went. Each is an address
    and a port, as in 10.0.0.2:443."""

    src: str
    service: str
    server: str


@dataclass
class Connections:
    """The connections that the mended network's balancer knew, how many the sidecar saw, and how many packets had come
    to the balancer until then, which what was kept earlier does not say."""

    balanced: list[Balanced]
    redirected: int
    packets: int | None = None


@dataclass
class Bulk:
    """Seconds that the same transfer took in either network, one right after the other."""

    untouched_s: float
    mended_s: float


@dataclass
class Another:
    """Another client of the mended network, which has no sidecar: its address, its exchanges past one and by TLS, how
    often it was told that a destination is unreachable, its connections as the balancer knew them, and what a transfer
    took it, beside the untouched network's client."""

    address: str
    direct: Observed | None = None
    tls: Observed | None = None
    told: int | None = None
    balanced: list[Balanced] = field(default_factory=list)
    bulk: list[Bulk] = field(default_factory=list)
    tls_bulk: list[Bulk] = field(default_factory=list)

    def each(self) -> dict[str, Observed]:
        """What was seen of each way, by the words for it."""
        who = f"another client ({self.address})"
        return {f"direct, from {who}": there(self.direct), f"by TLS, from {who}": there(self.tls)}

    def whole(self, rounds: int) -> bool:
        """Whether every part of what was to be seen is there, with so many transfers."""
        seen = all(asked(each, *ASKED) for each in (self.direct, self.tls)) and self.told is not None
        return seen and len(self.bulk) == len(self.tls_bulk) == rounds


@dataclass
class Cure:
    """What is seen of an answer, in this order; of `another` client, if there is one, after `connections` and with each
    bulk transfer. `fragments` is how many the hosts of the mended network made, `told` how often its client was told
    that a destination is unreachable, since it was to forget what it has learnt, `refused` how often the balancer said
    that to anybody, where the client is the only one to ask, which what was kept earlier does not say."""

    untouched: Ways = field(default_factory=Ways)
    mended: Ways = field(default_factory=Ways)
    fragments: int | None = None
    told: int | None = None
    connections: Connections | None = None
    bulk: list[Bulk] = field(default_factory=list)
    sidecar_bulk: list[Bulk] = field(default_factory=list)
    another: Another | None = None
    refused: int | None = None

    @property
    def whole(self) -> bool:
        """Whether every part of what was to be seen is there."""
        seen = self.untouched.has(*STALLING) and self.mended.has(*ASKED) and self.connections is not None
        return (
            seen and None not in (self.fragments, self.told) and len(self.bulk) == len(self.sidecar_bulk) == BULK_ROUNDS
        )
