"""Does a check on a page say its verdict, and what that rests on?"""

import json

import pytest

from core.judge.packed import unpacked
from labs import live
from labs.judge.judging import verdict_on
from tests.labs.judge.made import RIGHT


@pytest.fixture
def said(monkeypatch, capsys):
    """said(evidence): the lines of a check that took it."""

    def lines(evidence):
        monkeypatch.setattr(live, "take_and_judge", lambda exercise, answer: (verdict_on(RIGHT), evidence))
        live.check("frag-needed/1", "on client true\n")
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return lines


def test_evidence_is_said_behind_the_verdict_as_it_would_be_kept(said):
    verdict, evidence, *_ = said(RIGHT)
    assert (verdict["kind"], verdict["verdict"]["verdict"], evidence["kind"]) == ("verdict", "PASS", "evidence")
    assert json.loads(unpacked(evidence["packed"])) == RIGHT.to_json()


def test_where_there_is_none_or_too_much_the_verdict_is_said_alone(said, monkeypatch):
    assert [line["kind"] for line in said(None)] == ["verdict"]
    monkeypatch.setattr(live, "LONGEST_PACKED", 100)
    assert "evidence" not in [line["kind"] for line in said(RIGHT)]
