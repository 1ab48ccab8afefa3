"""Is a round in which the machine stood still left out, whatever came out of it, and too few of them said?"""

from dataclasses import dataclass

import pytest

from labs.claims import Claim, Claims
from labs.measure.rounds import Rounds, rounds_to_json


@dataclass(frozen=True)
class Seen:
    figure: float
    held_up_ms: float = 0

    def to_json(self):
        return {"figure": self.figure}


def rounds(*seen):
    return Rounds([Seen(*each) for each in seen], bound_ms=10, needed=2)


def figure(seen):
    return seen.figure


def test_one_that_was_held_up_does_not_count_even_if_its_figure_is_the_best():
    some = rounds((3,), (1, 11), (5,))
    assert [seen.figure for seen in some.measured] == [3, 5]
    assert some.median(figure) == 4 and some.typical(figure).figure == 3 and not some.missing


def test_too_few_cannot_tell():
    some = rounds((3, 12), (1, 11), (5,))
    assert "in 2 of 3 rounds" in some.missing and "for 12 at most" in some.missing
    none = rounds((3, 12), (1, 11))
    assert none.typical(figure).figure == 1 and none.median(figure) == 2, "there is one to show all the same"


def test_one_that_does_not_count_is_in_the_json_too():
    assert rounds_to_json({512: rounds((3,), (1, 11))}) == {"512": [{"figure": 3}, {"figure": 1}]}
    assert list(rounds_to_json({"send()": rounds((3,))}, lambda name: name[:4])) == ["send"]


def test_a_claim_has_to_hold_in_each_round_that_counts():
    def claims(seen):
        return [
            Claim(seen.figure > 0, f"{seen.figure} is more than 0"),
            Claim(seen.figure < 5, f"{seen.figure} below 5"),
        ]

    more, below = rounds((3,), (7,), (-1, 11), (9,)).in_each(claims)
    assert more.holds and more.what == "3 is more than 0; so in 3 of 3 rounds"
    assert not below.holds and below.what == "7 below 5; so in 1 of 3 rounds"


@pytest.mark.parametrize(
    "missing, held, said, word",
    [("", True, True, "reproduced"), ("", False, False, "NOT reproduced"), ("too few", True, None, "COULD NOT TELL")],
)
def test_an_outcome_has_three_ways_to_end(missing, held, said, word):
    class Outcome(Claims):
        claims = [Claim(held, "it is so")]

    Outcome.missing = missing
    outcome = Outcome()
    assert outcome.reproduced is said and outcome.outcome_lines()[0] == word
    assert outcome.claimed()["outcome"] == word.lower() and (not missing or outcome.claimed()["reasons"] == [missing])
