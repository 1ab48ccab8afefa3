"""Which questions did the kernel ask of which address, and what settled the choice?

RFC 6724, section 5, has eight rules; the kernel's enum has a few more (net/ipv6/addrconf.c). The rules
are asked in order, each of the best address so far and of the next candidate, until one differs.
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from labs.cases.addr_select.rules import RFC
from labs.trace import btf
from labs.trace.tracer import Event

FIRST_RULE = "IPV6_SADDR_RULE_INIT"


def rules() -> list[str]:
    """The running kernel's rules in order, by its own names without their common prefix."""
    values = btf.enumerators(FIRST_RULE)
    named = sorted(values.items(), key=lambda pair: pair[1])
    return [name.removeprefix("IPV6_SADDR_RULE_") for name, _ in named if not name.endswith("_MAX")]


def spoken(rule: str) -> str:
    """A rule as a reader knows it: "rule 5 (interface)"."""
    number, words = RFC.get(rule, ("-", rule.lower()))
    return f"rule {number} ({words})" if number != "-" else f"the rule about {words}"


@dataclass
class Candidate:
    """One address that was compared with the best so far.

    `best` and `own` are the answers by rule, as far as was asked. `decided` is the rule at which the
    two differed, None if none did: then the earlier one stays.
    """

    address: str
    against: str
    best: dict[str, int] = field(default_factory=dict)
    own: dict[str, int] = field(default_factory=dict)

    @property
    def decided(self) -> str | None:
        last = list(self.own)[-1]
        return last if self.own[last] != self.best[last] else None

    @property
    def won(self) -> bool:
        return self.decided is not None and self.own[self.decided] > self.best[self.decided]

    def outcome(self) -> str:
        if self.decided is None:
            return "equal: the earlier stays"
        if self.decided == "INIT":
            return "the first"
        return f"{'better' if self.won else 'worse'} by {spoken(self.decided)}"

    def to_json(self) -> dict:
        return {
            "address": self.address,
            "against": self.against,
            "own": self.own,
            "best": self.best,
            "decided": self.decided,
            "won": self.won,
        }


@dataclass(frozen=True)
class Choice:
    """One choice of a source address: its candidates in the order in which the kernel came to them."""

    candidates: list[Candidate]
    rules: list[str]

    @property
    def chosen(self) -> Candidate:
        """The candidate that was best at the end."""
        return [candidate for candidate in self.candidates if candidate.won][-1]

    @property
    def questions(self) -> int:
        return sum(len(candidate.own) + len(candidate.best) for candidate in self.candidates)

    def text(self) -> str:
        """Text for the terminal, at most 80 columns: two lines a candidate, a column a rule of the RFC."""
        heads = [
            RFC.get(rule, ("?", ""))[0] if RFC.get(rule, ("?", ""))[0] != "-" else rule[:1].lower()
            for rule in self.rules
        ]
        widths = [6 if rule == "SCOPE" else 5 for rule in self.rules]  # its answer may be "-126-"
        lines = [f"{'candidate':<16}" + "".join(f"{head:>{width}}" for head, width in zip(heads, widths))]
        for candidate in self.candidates:
            cells = "".join(f"{self._cell(candidate, rule):>{width}}" for rule, width in zip(self.rules, widths))
            lines += [f"{_short(candidate.address):<16}{cells}".rstrip(), f"{'':<16}  {candidate.outcome()}"]
        return "\n".join(
            [
                *lines,
                "",
                *self._legend(),
                f"chosen: {self.chosen.address}, {self.chosen.outcome()}, after {self.questions} questions",
            ]
        )

    def _cell(self, candidate: Candidate, rule: str) -> str:
        if rule not in candidate.own:
            return ""
        mark = ("+" if candidate.won else "-") if candidate.decided == rule else ""
        return f"{candidate.own[rule]}{mark}"

    def _legend(self) -> list[str]:
        legend = [
            f"{number if number != '-' else rule[:1].lower()} {words}"
            for rule in self.rules
            for number, words in [RFC.get(rule, ("?", rule.lower()))]
        ]
        half = (len(legend) + 1) // 2
        return [
            "columns: " + ", ".join(legend[:half]) + ",",
            "  " + ", ".join(legend[half:]),
            "+ better than the best so far by this rule, - worse; blank: not asked",
        ]

    def __repr__(self) -> str:
        return self.text()

    def to_json(self) -> dict:
        return {
            "rules": self.rules,
            "candidates": [one.to_json() for one in self.candidates],
            "chosen": self.chosen.address,
            "decided": self.chosen.decided,
            "questions": self.questions,
        }


def _short(address: str) -> str:
    """An address in 15 columns: a link-local one has a random end that nobody needs."""
    return address if len(address) <= 15 else address[:13] + ".."


def choice(events: Sequence[Event], addresses: dict[int, str]) -> Choice:
    """The choice that these events of `after_eval` tell of; `addresses` gives the text of each.

    __ipv6_dev_get_saddr() asks in pairs, the best so far first; rule 0 begins a candidate.
    """
    named, candidates = rules(), []
    for best, own in zip(events[::2], events[1::2], strict=True):
        rule = named[own.detail & 0xFFFF]
        if rule == named[0]:
            against = addresses.get(best.value, "none yet")
            candidates.append(Candidate(addresses[own.value], against))
        candidates[-1].best[rule], candidates[-1].own[rule] = _answer(best), _answer(own)
    return Choice(candidates, named)


def _answer(event: Event) -> int:
    """What ipv6_get_saddr_eval() returned, from the upper half of `detail`."""
    value = event.detail >> 16
    return value - (1 << 16) if value & 0x8000 else value


def addresses_of(pid: int) -> dict[int, str]:
    """A host's IPv6 addresses by the number that choice.bpf.c gives each, see named() there.

    Lines of /proc/net/if_inet6 are: address, interface's index, prefix length, …, in hexadecimal.
    """
    found = {}
    for line in Path(f"/proc/{pid}/net/if_inet6").read_text().splitlines():
        address, ifindex = line.split()[:2]
        number = int(ifindex, 16) << 48 | int(address[8:12], 16) << 32 | int(address[-8:], 16)
        found[number] = str(ipaddress.IPv6Address(bytes.fromhex(address)))
    return found
