"""Are the bounds on times far from what was recorded, on either side?"""

import json
import tomllib

import pytest

from core import cases
from host.paths import REPOSITORY
from host.recording.conclusions import Recorded

FILES = {case.name: case.folder / "bounds.toml" for case in cases.cases().values()}
BOUNDS = {
    f"{case}-{name}": (case, each)
    for case, file in FILES.items()
    for name, each in tomllib.loads(file.read_text()).items()
}
RECORDED = {name: bound for name, bound in BOUNDS.items() if "why" not in bound[1]}
FAR = 1.75  # what a busy machine may move. A ratio of equals is 1 and its noise, and a bound of 2 is that far from it


@pytest.mark.parametrize("case, bound", RECORDED.values(), ids=RECORDED)
def test_what_was_recorded_is_far_from_the_bound_on_both_sides(case, bound):
    text = (REPOSITORY / "book" / "_recordings" / f"{case}.json").read_text()
    known = json.loads(text, object_hook=Recorded)
    found = {side: eval(bound[side], {"min": min, "max": max, **known}) for side in ("with_fault", "without")}
    low, high = sorted(found.values())
    assert low * FAR <= bound["bound"] <= high / FAR, found
    for side, value in found.items():
        assert value == pytest.approx(bound["recorded"][side], rel=0.5), f"{side}: write down what was recorded anew"


@pytest.mark.parametrize("bound", [bound for _, bound in BOUNDS.values()], ids=BOUNDS)
def test_each_says_what_it_is_and_rests_on_a_recording_or_says_why_not(bound):
    assert bound["says"] and bound["bound"] > 0
    assert bool(bound.get("why")) != {"with_fault", "without", "recorded"}.issubset(bound)
