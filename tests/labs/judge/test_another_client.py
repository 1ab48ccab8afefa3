"""Is a fix at the balancer, or at the server, held to what another client gets of it?"""

from dataclasses import replace

import pytest

from core.judge.evidence import Evidence
from labs.cases.frag_needed.cure.evidence import Another, Bulk
from labs.judge.judging import verdict_on, verdict_on_file
from tests.labs.judge.made import ANOTHER, BALANCED, OTHER, RIGHT, SETTINGS, for_others, observed
from tests.labs.judge.stored import failed

SLOW = replace(
    ANOTHER,
    direct=observed(200.0, client=OTHER, segment_bytes=500, back_bytes=500),
    told=2,
    balanced=[],
    bulk=[],
    tls_bulk=[],
)


@pytest.mark.parametrize(
    "id, another", [("frag-needed/2", ANOTHER), ("frag-needed/3", ANOTHER), ("frag-needed/3", SLOW)]
)
def test_another_client_is_as_fast_where_it_has_to_be_and_served(id, another):
    evidence = for_others(id, RIGHT.seen, another)
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()


def other(**changed) -> Evidence:
    """Evidence of exercise 2, where something else comes of the other client."""
    return for_others("frag-needed/2", RIGHT.seen, replace(ANOTHER, **changed))


@pytest.mark.parametrize(
    "evidence, id",
    [
        (other(direct=observed(200.0, client=OTHER)), "no-stall-other-direct"),
        (other(tls=observed(200.0, client=OTHER, port=443)), "no-stall-other-tls"),
        (other(told=1), "no-frag-needed-other"),
        (other(direct=observed(10.0, client=OTHER, segment_bytes=500)), "full-segments-other"),
        (other(tls=observed(10.0, client=OTHER, port=443, back_bytes=500)), "full-segments-of-server-other"),
        (other(balanced=ANOTHER.balanced[1:]), "through-balancer-other"),
        (other(balanced=BALANCED), "through-balancer-other"),
        (other(bulk=[Bulk(1.0, 9.0)] * 3), "bulk-other"),
        (other(tls_bulk=[Bulk(1.0, 9.0)] * 3), "bulk-other-tls"),
        (
            for_others("frag-needed/2", RIGHT.seen, Another(OTHER), unanswered=f"another client ({OTHER}): refused"),
            "requests-answered",
        ),
        (
            for_others("frag-needed/3", RIGHT.seen, Another(OTHER), unanswered=f"another client ({OTHER}): timed out"),
            "requests-answered",
        ),
    ],
)
def test_what_another_client_does_not_get_is_wrong(evidence, id):
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "FAIL" and id in failed(verdict), verdict.text()


HELD_UP = replace(ANOTHER.direct, exchanges=[replace(each, held_up_ms=1e3) for each in ANOTHER.direct.exchanges])


@pytest.mark.parametrize(
    "evidence",
    [
        for_others("frag-needed/2", RIGHT.seen, None),
        for_others("frag-needed/3", RIGHT.seen, None),
        other(bulk=[]),
        other(told=None),
        other(tls=None),
        other(direct=replace(ANOTHER.direct, exchanges=ANOTHER.direct.exchanges[:4])),
        replace(other(), settings=SETTINGS),
        other(direct=HELD_UP),
    ],
)
def test_what_was_not_seen_of_another_client_could_not_tell(evidence):
    assert verdict_on_file(evidence.text().encode()).verdict == "COULD NOT TELL"
