"""Is a fix at the balancer, or at the server, held to what another client gets of it?"""

from dataclasses import replace

import pytest

from core.judge.evidence import Evidence
from labs.cases.frag_needed.cure.evidence import Another, Bulk
from labs.judge.judging import judged, judged_file
from tests.labs.judge.made import ANOTHER, BALANCED, OTHER, RIGHT, SETTINGS, for_others, observed

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
    for verdict in (judged(evidence), judged_file(evidence.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()


def other(**changed) -> Evidence:
    """Of exercise 2, where something else comes of the other client."""
    return for_others("frag-needed/2", RIGHT.seen, replace(ANOTHER, **changed))


@pytest.mark.parametrize(
    "evidence, said",
    [
        (
            other(direct=observed(200.0, client=OTHER)),
            f"direct, from another client ({OTHER}): B still waits 200 ms; the untouched B waits 240 ms",
        ),
        (other(tls=observed(200.0, client=OTHER, port=443)), f"by TLS, from another client ({OTHER}): B still waits"),
        (other(told=1), f"another client ({OTHER}) was told 1 times that a destination is unreachable"),
        (
            other(direct=observed(10.0, client=OTHER, segment_bytes=500)),
            "a full segment of another client's carries 500 bytes, expected 1143",
        ),
        (
            other(tls=observed(10.0, client=OTHER, port=443, back_bytes=500)),
            "a full segment of the server's to it carries 500 bytes, expected 1143",
        ),
        (other(balanced=ANOTHER.balanced[1:]), f"IPVS sent 3 connections of another client ({OTHER}) to 10.0.0.6"),
        (other(balanced=BALANCED), f"IPVS sent 0 connections of another client ({OTHER}) to 10.0.0.6, expected the 4"),
        (other(bulk=[Bulk(1.0, 9.0)] * 3), "bulk of another client takes 9.0 times as long"),
        (other(tls_bulk=[Bulk(1.0, 9.0)] * 3), "bulk of another client by TLS takes 9.0 times as long"),
        (
            for_others("frag-needed/2", RIGHT.seen, Another(OTHER), unanswered=f"another client ({OTHER}): refused"),
            f"expected every request to be answered, found: another client ({OTHER}): refused",
        ),
        (
            for_others("frag-needed/3", RIGHT.seen, Another(OTHER), unanswered=f"another client ({OTHER}): timed out"),
            f"expected every request to be answered, found: another client ({OTHER}): timed out",
        ),
    ],
)
def test_what_another_client_does_not_get_is_wrong(evidence, said):
    for verdict in (judged(evidence), judged_file(evidence.text().encode())):
        assert verdict.verdict == "FAIL" and any(said in reason for reason in verdict.reasons), verdict.text()


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
    assert judged_file(evidence.text().encode()).verdict == "COULD NOT TELL"
