"""How often is evidence taken of an answer while the machine does not hold still? As often as there is time for it."""

import types

import pytest

from labs.errors import CouldNotTell
from labs.take import attempts


@pytest.mark.parametrize("takes_s, times", [(5, 3), (79, 3), (81, 2), (119, 2), (121, 1), (1000, 1)])
def test_what_has_no_time_left_is_not_begun(monkeypatch, takes_s, times):
    """Within eight tenths of the 300 s after which the host gives an answer up."""
    clock, taken = [0.0], []

    def take(asked, answer):
        taken.append(answer)
        clock[0] += takes_s
        raise CouldNotTell("the machine stood still")

    monkeypatch.setattr(attempts, "exercise_module", lambda asked, name: types.SimpleNamespace(take=take))
    monkeypatch.setattr(attempts, "time", types.SimpleNamespace(monotonic=lambda: clock[0]))
    verdict, evidence = attempts.take_and_judge("frag-needed/1", "on client true")
    assert (verdict.verdict, evidence, len(taken)) == ("COULD NOT TELL", None, times)
