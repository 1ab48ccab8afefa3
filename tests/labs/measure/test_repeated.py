"""Does a case that is run again and again say how often it reproduced, and never what did not fit away?"""

import pytest

from labs.claims import Claim, Claims
from labs.measure.repeated import Repeated, repeated


class Run(Claims):
    """One that ends as this word says."""

    claims, missing = (), ""

    def __init__(self, word: str, figure: float = 0) -> None:
        self.claims, self.missing = [Claim(word == "yes", "it is so")], "stood still" if word == "?" else ""
        self.figure = figure

    @property
    def headline(self) -> tuple[str, float]:
        assert not self.missing, "nothing was measured"
        return "times", self.figure

    def to_json(self) -> dict:
        return self.claimed()


def of(*words: str) -> Repeated:
    return Repeated("a-case", [Run(word, number) for number, word in enumerate(words)])


@pytest.mark.parametrize(
    "words, said",
    [(["yes", "yes"], True), (["yes", "?"], True), (["yes", "no", "yes"], False), (["no", "?"], False), (["?"], None)],
)
def test_one_no_is_enough_and_what_could_not_tell_is_none(words, said):
    found = of(*words)
    assert found.reproduced is said and sum(found.counts.values()) == len(words)
    assert found.counts["could not tell"] == words.count("?")


def test_the_distribution_is_of_the_runs_that_could_tell():
    found = of("yes", "?", "no", "yes", "yes").to_json()
    assert found["figures"] == [0, 2, 3, 4] and found["spread"] == {"min": 0, "median": 2.5, "max": 4}
    assert found["reasons"] == ["run 2: stood still", "run 3: NO  it is so"] and len(found["runs"]) == 5
    nothing = of("?", "?").to_json()
    assert nothing["spread"] is None and nothing["figures"] == [] and nothing["figure"] == ""
    assert of("?", "yes").to_json()["figure"] == "times"


def test_it_runs_as_often_as_it_was_asked_whatever_comes_out():
    words, lines = iter(["no", "yes", "?"]), []
    found = repeated("a-case", lambda: Run(next(words)), 3, lines.append)
    assert [run.reproduced for run in found.runs] == [False, True, None] and len(lines) == 3
    text = found.text()
    assert "reproduced 1, not reproduced 1, could not tell 1" in text and "run 1: NO  it is so" in text
