"""Does ./lab answer bad input with one clear message, the known names, and the next command?"""

import json
import os
import re
import shutil
import socket
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from core import cases
from host import cli

SUBCOMMANDS = sorted(cli.main.commands)

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def lab(tmp_path):
    """./lab with a home of its own for progress; the cache (the Python environment) is shared."""

    def call(*words, **environment):
        return subprocess.run(
            [REPOSITORY / "lab", *words],
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "data"), "LAB_RUN_DIR": str(tmp_path), **environment},
        )

    return call


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help_has_an_example(lab, name):
    shown = lab(name, "--help")
    assert shown.returncode == 0 and f"Example: ./lab {name}" in shown.stdout


# Up to where the shell, or the sentence, goes on with something else.
CALL = re.compile(r"\./lab\s+([a-z]+)([^`\n;|&]*)")


def test_each_call_that_a_page_names_is_one_with_its_options():
    where = ("*.md", "book/*.md", "notebooks/*.md", "labs/cases/**/*.toml")
    pages = [page for each in where for page in REPOSITORY.glob(each)]
    calls = [(page, *call) for page in pages for call in CALL.findall(page.read_text())]
    assert len(calls) > 100
    wrong = []
    for page, name, rest in calls:
        known = cli.main.commands.get(name)
        options = {option for parameter in known.params for option in parameter.opts} if known else set()
        named = set(re.findall(r"(?<!\S)--?[a-z][\w-]*", rest.partition(" -- ")[0]))
        if not known or not named <= options:
            wrong.append(f"{page.relative_to(REPOSITORY)}: ./lab {name}{rest}")
    assert wrong == []


def test_unknown_subcommand_names_the_known(lab):
    answer = lab("strat")
    assert answer.returncode == 2 and all(name in answer.stderr for name in SUBCOMMANDS)


@pytest.mark.parametrize(
    "words", [("run", "nope"), ("trace", "nope"), ("check", "nope/1", "x"), ("hint", "nope/1"), ("solution", "nope/1")]
)
def test_unknown_case_names_the_known(lab, words):
    answer = lab(*words)
    assert answer.returncode == 2
    assert "frag-needed" in answer.stderr and "./lab list" in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize("verb", ["hint", "solution"])
def test_unknown_exercise_names_the_known(lab, verb):
    answer = lab(verb, "frag-needed/99")
    assert answer.returncode == 2 and "frag-needed/1" in answer.stderr


@pytest.mark.parametrize(
    "words", [("up", "nope"), ("down", "../stock"), ("reset", "nope"), ("shell", "--profile", "nope", "--", "true")]
)
def test_unknown_profile_names_the_known(lab, words):
    answer = lab(*words)
    assert answer.returncode == 2 and "stock, rtl8139" in answer.stderr


@pytest.mark.parametrize(
    "words", [("run", "frag-needed"), ("trace", "frag-needed"), ("check", "frag-needed/1", "x.sh"), ("shell",)]
)
def test_unknown_kernel_names_the_known(lab, words):
    answer = lab(*words, "--kernel", "2.4")
    assert answer.returncode == 2 and "no kernel '2.4'; there are: 6.1, 6.12" in answer.stderr


@pytest.mark.parametrize(
    "words, said",
    [
        (("frag-needed", "uname"), "Next: ./lab shell frag-needed"),
        (("frag-needed", "--", "uname"), "Next: ./lab shell frag-needed"),
        (("--profile", "rtl8139", "frag-needed"), "frag-needed is for the VM stock, not rtl8139"),
    ],
)
def test_a_case_s_prompt_takes_no_command_and_no_other_vm(lab, words, said):
    answer = lab("shell", *words)
    assert answer.returncode == 2 and said in answer.stderr and "guest" not in answer.stderr


def test_unknown_option(lab):
    answer = lab("run", "frag-needed", "--foo")
    assert answer.returncode == 2 and "--json" in answer.stderr


@pytest.mark.parametrize("value", ["-5", "0", "many", "", "1.5", "8193", "9" * 30])
def test_a_setting_out_of_range_is_refused_before_a_guest_starts(lab, value, tmp_path):
    answer = lab("run", "addr-select", "--set", f"addresses={value}")
    assert answer.returncode == 2 and "a whole number from 1 to 8192" in answer.stderr
    assert "--set addresses=8192" in answer.stderr and "guest" not in answer.stderr


def test_an_unknown_setting_names_the_known(lab):
    answer = lab("run", "addr-select", "--set", "hosts=5", "--json")
    assert answer.returncode == 2 and "addresses" in json.loads(answer.stdout)["error"]
    without = replace(cases.case("addr-select"), settings={})
    with pytest.raises(cases.WrongCall, match="there are: none"):
        without.set(["hosts=5"])


@pytest.mark.parametrize("rounds", ["0", "-1", "many", "101"])
def test_a_number_of_rounds_that_is_none_is_refused_before_there_is_a_guest(lab, rounds):
    answer = lab("run", "frag-needed", "--rounds", rounds)
    assert answer.returncode == 2 and "--rounds" in answer.stderr and "guest" not in answer.stderr


def test_a_missing_answer_file_says_where_to_begin(lab):
    answer = lab("check", "frag-needed/1", "/nowhere/answer.sh")
    assert answer.returncode == 2 and "cp " in answer.stderr


def test_a_binary_answer_file_is_refused(lab, tmp_path):
    (tmp_path / "answer.sh").write_bytes(b"\xff\xfe\x00")
    answer = lab("check", "frag-needed/1", str(tmp_path / "answer.sh"))
    assert answer.returncode == 2 and "UTF-8" in answer.stderr


def test_a_taken_port_is_said_with_the_next_command(lab):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        answer = lab("start", "--no-browser", "--port", str(port))
    assert answer.returncode == 2 and f"./lab start --port {port + 1}" in answer.stderr


def test_hints_go_on_and_the_list_shows_it(lab):
    first, second = lab("hint", "frag-needed/1"), lab("hint", "frag-needed/1")
    assert first.stdout.startswith("hint 1 of") and second.stdout.startswith("hint 2 of")
    listed = json.loads(lab("list", "--json").stdout)
    state = listed["cases"][0]["exercises"][0]["state"]
    assert "2 hints" in state


def test_the_solution_is_given_when_asked_for(lab):
    refused = lab("solution", "frag-needed/1")
    assert refused.returncode == 1 and refused.stdout == ""
    given = lab("solution", "frag-needed/1", "--yes")
    assert given.returncode == 0 and given.stdout.startswith("#")


@pytest.mark.xdist_group("checkout")  # not while another test writes into the checkout
def test_it_works_from_a_path_with_spaces_and_through_a_link(lab, tmp_path):
    copy = tmp_path / "a path with, blanks"
    shutil.copytree(REPOSITORY, copy, ignore=shutil.ignore_patterns(".git", "_build", "work"))
    (tmp_path / "link").symlink_to(copy)
    answer = subprocess.run(
        [tmp_path / "link" / "lab", "list"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "LAB_RUN_DIR": str(tmp_path)},
    )
    assert answer.returncode == 0 and "frag-needed" in answer.stdout


def test_with_json_an_error_is_one_object_too(lab):
    answer = lab("run", "nope", "--json")
    assert answer.returncode == 2 and "frag-needed" in json.loads(answer.stdout)["error"]


def test_an_endless_answer_file_is_refused(lab):
    answer = lab("check", "frag-needed/1", "/dev/zero")
    assert answer.returncode == 2 and "is no file" in answer.stderr
