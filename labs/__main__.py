"""What does `python -m labs VERB …` do in the guest? It runs a case's function and shows the outcome.

    run CASE, trace CASE     exit 0 reproduced (or as expected), 1 not, 3 could not be tried, 4 could not tell
    check CASE/N             judges the answer on standard input: PASS 0, FAIL 1, SKIP 3, COULD NOT TELL 4
    record CASE              one JSON object: the data and figures that the book's pages show
    live CASE                the case for a page, which is told of it while it happens; see labs/live.py
    cells CASE               a notebook's cells for a page; see labs/cells.py
    shell CASE               Mininet's command line on its network; what is typed is read from standard input

A wrong call exits with 2.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from core.cases import WrongCall, cases
from core.statuses import OUTCOMES, VERDICTS, Status
from labs.case import Outcome, module
from labs.errors import CannotTry, CouldNotTell

if TYPE_CHECKING:  # else only `--rounds` needs it
    from labs.measure.repeated import Repeated

SHOWN = {
    "run": "show a case happen, beside its control",
    "trace": "show a case's call stacks as traced, beside the report's, frame by frame",
}
STATUS = {True: Status.HOLDS, False: Status.FAILS, None: Status.COULD_NOT_TELL}


def main(words: list[str]) -> int:
    """Does what the command line says; its exit status."""
    known = cases()
    asked = _parser(known).parse_args(words)
    try:
        if asked.verb == "check":
            return check(asked.exercise, sys.stdin.read(), asked.json, asked.sealed)
        case = known[asked.case]
        if asked.verb == "record":
            print(json.dumps(module(case, "record").record()))
            return Status.HOLDS
        if asked.verb == "live":
            from labs.live import live

            live(module(case, "live"))
            return Status.HOLDS
        if asked.verb == "cells":
            from labs import cells  # only this verb needs IPython

            cells.run(case)
            return Status.HOLDS
        if asked.verb == "shell":
            from labs.shell import prompt  # only this verb needs Mininet before the case does

            prompt(module(case, "shell").session)
            return Status.HOLDS
        outcome = _run(asked, module(case)) if asked.verb == "run" else module(case).trace()
    except CannotTry as reason:
        return _no_outcome(Status.COULD_NOT, "could not be tried", str(reason), reason.next_command, asked.json)
    except CouldNotTell as reason:
        return _no_outcome(Status.COULD_NOT_TELL, OUTCOMES[None], str(reason), "the same call again", asked.json)
    except KeyboardInterrupt:
        print("interrupted; what was set up has been undone", file=sys.stderr)
        return Status.INTERRUPTED
    print(json.dumps(outcome.to_json()) if asked.json else outcome.text())
    return STATUS[outcome.reproduced]


def _run(asked: argparse.Namespace, case: ModuleType) -> Outcome | Repeated:
    """The case, once or as often as was asked."""
    run = functools.partial(case.run, **dict(asked.changed))
    if not asked.rounds:
        return run()
    from labs.measure.repeated import repeated

    return repeated(asked.case, run, asked.rounds, (lambda line: None) if asked.json else print)


def _parser(known: dict) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m labs")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb, meaning in (SHOWN | {"record": "print what the book's pages show"}).items():
        arguments = verbs.add_parser(verb, help=meaning)
        arguments.add_argument("case", choices=known, metavar="CASE", help=", ".join(known))
        arguments.add_argument("--json", action="store_true", help="print one JSON object on stdout")
        if verb == "run":
            arguments.add_argument(
                "--set",
                action="append",
                dest="changed",
                default=[],
                type=_setting,
                metavar="NAME=VALUE",
                help="change a number that the case takes",
            )
            arguments.add_argument("--rounds", type=int, metavar="N", help="run it N times; how often it reproduces")
    others = {
        "shell": "Mininet's command line on a case's network",
        "live": "print what a page shows while it happens",
        "cells": "run a notebook's cells for a page",
    }
    for verb, meaning in others.items():
        arguments = verbs.add_parser(verb, help=meaning)
        arguments.add_argument("case", choices=known, metavar="CASE", help=", ".join(known))
        arguments.set_defaults(json=False)
    arguments = verbs.add_parser("check", help="judge the answer on standard input")
    arguments.add_argument("exercise", metavar="CASE/N")
    arguments.add_argument("--json", action="store_true", help="print one JSON object on stdout")
    arguments.add_argument(
        "--sealed",
        action="store_true",
        help="the first line is no part of the answer: a nonce, printed beside the answer's hash; where evidence is "
        "judged elsewhere, that is printed and no verdict",
    )
    return parser


def _setting(word: str) -> tuple[str, int]:
    """ "NAME=VALUE" as an argument of the case's run(). The host has compared it with case.toml."""
    name, _, value = word.partition("=")
    return name, int(value)


def check(exercise: str, given: str, as_json: bool, sealed: bool) -> int:
    """Judges an answer and prints the verdict; its exit status. A seal tells whoever sent nonce and answer what the
    judge has printed from what the answer has. Sealed evidence is for them to judge."""
    from labs.take.attempts import take_and_judge  # only this verb needs the judges' imports

    nonce, _, answer = given.partition("\n") if sealed else ("", "", given)
    seal = {"seal": {"nonce": nonce, "answer_sha256": hashlib.sha256(answer.encode()).hexdigest()}} if sealed else {}
    try:
        verdict, evidence = take_and_judge(exercise, answer)
    except WrongCall as unknown:
        print(unknown, file=sys.stderr)
        return Status.USAGE
    if sealed and evidence:
        print(json.dumps({"exercise": exercise, "evidence": evidence.to_json()} | seal))
        return Status.HOLDS
    print(json.dumps(verdict.to_json() | seal) if as_json else verdict.text())
    return VERDICTS[verdict.verdict]


def _no_outcome(status: Status, outcome: str, reason: str, next_command: str, as_json: bool) -> int:
    """Says why there is none; its exit status."""
    if as_json:
        print(json.dumps({"reproduced": None, "outcome": outcome, "reasons": [reason], "next": next_command}))
    else:
        print(f"{outcome}: {reason}. Next: {next_command}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
