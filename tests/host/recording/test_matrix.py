"""Is each case counted on each kernel as it came, and told from one that cannot be tried there?"""

import contextlib
import json

import pytest

from core import cases
from host.errors import LabError
from host.recording import matrix, record, repeats
from host.vm import image
from host.vm.call import Result

STACKS = [
    {
        "story": "1-sent",
        "ok": True,
        "rows": [{"told": "tcp_push", "state": "seen"}, {"told": None, "state": "also there"}],
    },
    {"story": "2-late", "ok": False, "rows": [{"told": "tcp_v4_err", "state": "missing"}]},
]
NOT_THERE = {"outcome": "could not be tried", "reasons": ["no pipe_to_sendpage"], "next": "./lab reset"}
ALSO = {"rounds": 5}


@pytest.fixture
def calls(monkeypatch):
    """What is called on which machine; chapter 3's cannot be tried on 6.12."""
    made = []

    def throwaway(profile):
        return contextlib.nullcontext(profile)

    def call_json(guest, module, *words):
        made.append((guest, module, *words))
        if module != "labs":
            return Result(0, ALSO, "", "", True)
        if "splice-push" in words and "6.12" in guest:
            return Result(3, NOT_THERE, "", "", True)
        if words[0] == "trace":
            return Result(1, {"outcome": "not as expected", "stacks": STACKS}, "", "", True)
        off = "--set" in words
        return Result(
            0,
            {"counts": {"not reproduced" if off else "reproduced": 1}, "figures": [1.0 if off else 9.0], "figure": "f"},
            "",
            "",
            True,
        )

    for module in matrix, repeats:
        monkeypatch.setattr(module, "call_json", call_json)
    monkeypatch.setattr(matrix.guests, "throwaway", throwaway)
    monkeypatch.setattr(record, "provenance", lambda profile="stock": {"kernel": "k", "kernel_package": profile})
    return made


def test_each_case_runs_on_each_kernel_as_often_with_its_fault_off(calls):
    found = matrix.found(rounds=3)
    assert list(found) == ["linux_6_1", "linux_6_12"] and found["linux_6_1"]["rounds"] == 3
    seen = found["linux_6_12"]["frag_needed"]
    assert (seen["fault"]["reproduced"], seen["fault_off"]["not_reproduced"], seen["fault"]["figures"]) == (
        3,
        3,
        [9.0] * 3,
    )
    runs = [call for call in calls if call[2:4] == ("run", "frag-needed")]
    assert len(runs) == 2 * 2 * 3 and len({call[0] for call in runs}) == 2
    assert seen["traced"]["as_expected"] == 1 and seen["traced"]["of"] == 2
    assert seen["traced"]["stacks"]["1-sent"]["frames"] == {"tcp_push": "seen"}


def test_what_cannot_be_tried_says_why_and_is_no_count(calls):
    found = matrix.found(rounds=1)
    assert found["linux_6_12"]["splice_push"] == {"not_tried": "no pipe_to_sendpage", "sixteenth": ALSO}
    assert found["linux_6_1"]["splice_push"]["sixteenth"] == ALSO
    said = matrix.show(found).splitlines()
    assert "  splice-push: could not be tried: no pipe_to_sendpage" in said
    assert "  frag-needed: reproduced 1; fault off: not reproduced 1; stacks 1 of 2" in said


def test_a_module_that_says_nothing_ends_it(calls, monkeypatch):
    monkeypatch.setattr(matrix, "call_json", lambda guest, *words: Result(1, {}, "found other text", "said", True))
    with pytest.raises(LabError, match="sixteenth: found other text"):
        matrix.of(cases.case("splice-push"), image.kernel("6.12"), 1)


def test_it_is_kept_with_each_kernels_own_provenance(calls, monkeypatch, tmp_path):
    monkeypatch.setattr(record, "RECORDINGS", tmp_path)
    matrix.store(matrix.found(rounds=1))
    kept = json.loads((tmp_path / "kernels.json").read_text())
    assert (
        kept["provenance"]["kernel_package"] == "stock" and "6.12" in kept["linux_6_12"]["provenance"]["kernel_package"]
    )


def test_one_kernel_leaves_what_is_kept_of_another(calls, monkeypatch, tmp_path):
    monkeypatch.setattr(record, "RECORDINGS", tmp_path)
    matrix.store(matrix.found([image.kernel("6.12")], rounds=2))
    matrix.store(matrix.found([image.kernel("6.1")], rounds=1))
    kept = json.loads((tmp_path / "kernels.json").read_text())
    assert (kept["linux_6_12"]["rounds"], kept["linux_6_1"]["rounds"]) == (2, 1)
    assert kept["provenance"] == kept["linux_6_1"]["provenance"]
