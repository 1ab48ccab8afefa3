"""Is a throttled answer to frag-needed/1 or /2 told from a right one on a slow machine, too, or not told at all?"""

from dataclasses import replace

import pytest

from core.judge.evidence import Evidence
from labs.cases.frag_needed.cure.evidence import Bulk
from labs.errors import RAN_ON
from labs.judge.judging import verdict_on
from tests.labs.judge.stored import failed, known


def slower(evidence: Evidence, times: float) -> Evidence:
    """Transfers on a machine that takes so many times as long to compute. What a shaper takes is no longer there."""

    def each(seen: list[Bulk]) -> list[Bulk]:
        shaped_s = [one.mended_s if one.mended_s > 0.5 else 0 for one in seen]
        computed_s = [min(one.mended_s, 2 * one.untouched_s) * times for one in seen]
        return [Bulk(one.untouched_s * times, max(both)) for one, *both in zip(seen, shaped_s, computed_s)]

    seen = evidence.seen
    if other := seen.another:
        other = replace(other, bulk=each(other.bulk), tls_bulk=each(other.tls_bulk))
    return replace(
        evidence, seen=replace(seen, bulk=each(seen.bulk), sidecar_bulk=each(seen.sidecar_bulk), another=other)
    )


@pytest.mark.parametrize(
    "id, kind, stem, times, deserved",
    [
        ("frag-needed/1", "wrong", "throttled-through-the-sidecar", 1, "FAIL"),
        ("frag-needed/1", "wrong", "throttled-through-the-sidecar", 3.5, "COULD NOT TELL"),
        ("frag-needed/1", "wrong", "throttled-through-the-sidecar", 8, "COULD NOT TELL"),
        ("frag-needed/1", "wrong", "throttled", 8, "FAIL"),  # a transfer past the sidecar is even slower
        ("frag-needed/2", "wrong", "throttled", 4, "FAIL"),
        ("frag-needed/2", "wrong", "throttled", 8, "COULD NOT TELL"),
        ("frag-needed/1", "solution", "1-route-mtu", 5, "PASS"),
        ("frag-needed/2", "solution", "4-another-scheduler", 5, "PASS"),
    ],
)
def test_a_slow_machine_lets_no_throttle_pass(id, kind, stem, times, deserved):
    verdict = verdict_on(slower(known(id, kind, stem), times))
    assert verdict.verdict == deserved, verdict.text()
    if deserved == "COULD NOT TELL":
        assert failed(verdict) == [RAN_ON]


@pytest.mark.parametrize(
    "times, deserved, id",
    [
        ([6, 1, 1], "PASS", []),
        ([6, 1, 6], "COULD NOT TELL", [RAN_ON]),
        ([6, 6, 1], "COULD NOT TELL", [RAN_ON]),
        ([6, 6, 6], "FAIL", ["bulk"]),
        ([1, 6, 6], "FAIL", ["bulk"]),  # as by a token bucket, which the first one empties
    ],
)
def test_transfers_that_are_not_all_slow_are_the_machines(times, deserved, id):
    right = known("frag-needed/1", "solution", "1-route-mtu")
    bulk = [Bulk(one.untouched_s, one.untouched_s * each) for one, each in zip(right.seen.bulk, times, strict=True)]
    verdict = verdict_on(replace(right, seen=replace(right.seen, bulk=bulk)))
    assert verdict.verdict == deserved and failed(verdict) == id, verdict.text()
