"""Are cases and exercises found, and is a name or a key that there is not said to be none?"""

import shutil

import pytest

from core import cases


def test_all_are_found_in_the_order_of_the_chapters():
    assert [case.chapter for case in cases.cases().values()] == [1, 2, 3, 4]
    assert list(cases.exercises())[:6] == [f"frag-needed/{number}" for number in range(1, 7)]
    assert cases.exercise("rtl8139-tso/5").applies == "device" and cases.exercise("rtl8139-tso/5").suffix == ".c"


def test_only_what_says_so_can_be_judged_in_a_tab():
    """The fifth compiles a BPF program, for which the tab's guest has no compiler."""
    in_tab = [id for id, each in cases.exercises().items() if each.tab_million]
    assert in_tab == [f"frag-needed/{n}" for n in (1, 2, 3, 4, 6)]


def test_an_unknown_exercise_names_all_or_those_of_its_case():
    with pytest.raises(cases.WrongCall, match="no exercise 'frag-needed/9'; there are: .*addr-select/6$"):
        cases.exercise("frag-needed/9")
    with pytest.raises(cases.WrongCall, match="no exercise 'frag-needed/9'; there are: .*frag-needed/6$"):
        cases.exercise("frag-needed/9", cases.case("frag-needed").exercises)


@pytest.mark.parametrize("name", ["case.toml", "exercises/ex1/exercise.toml"])
def test_a_key_that_nobody_reads_is_an_error(tmp_path, monkeypatch, name):
    shutil.copytree(cases.case("frag-needed").folder, tmp_path / "one")
    monkeypatch.setattr(cases, "FOLDER", tmp_path)
    assert len(cases.exercises()) == 6
    file = tmp_path / "one" / name
    file.write_text("alowed = []\n" + file.read_text())
    with pytest.raises(TypeError, match="alowed"):
        cases.exercises()


@pytest.mark.parametrize("answer", ["", "\n \t\n", "# on client ip link\n  // no\n"])
def test_comments_alone_are_empty(answer):
    assert cases.is_empty(answer) and not cases.is_empty(answer + "\n:")
