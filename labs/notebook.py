"""What does a notebook add to labs/? Magics, after `%load_ext labs.notebook`, for a reader who has no terminal there:

    %%answer CASE/N     this cell is an answer to that exercise: judge it as `./lab check` does
    %check CASE/N FILE  judge a file of this VM, one that `%%writefile` made; without FILE, the last cell again
    %hint CASE/N        one hint further each time
    %list               the exercises, and how far one is

An answer is judged on a topology made for it. Below the verdict stands the ladder of what was captured meanwhile, where
the verdict rests on one.
"""

from importlib.util import find_spec
from pathlib import Path

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from core.cases import Exercise, WrongCall, exercise, exercises
from core.judge.verdict import Verdict, keep, kept
from labs.judge.judging import picture
from labs.take.attempts import take_and_judge

ONLY_HERE = "This VM knows what happened in its notebooks since it was started. The whole is told by, in a terminal: {}"


def load_ipython_extension(shell) -> None:
    """Called by %load_ext: registers the magics and the book's style of plots."""
    if find_spec("matplotlib"):  # the tab's guest has none
        from labs import plots

        plots.style()
    shell.register_magics(Reader)


@magics_class
class Reader(Magics):
    """What a reader calls by name."""

    def __init__(self, shell):
        super().__init__(shell)
        self.answers: dict[str, str] = {}  # the last cell that was judged, by exercise

    @cell_magic
    def answer(self, line: str, cell: str) -> Verdict | None:
        """%%answer CASE/N: judge this cell as an answer to that exercise."""
        asked = _named(line)
        if not asked:
            return None
        self.answers[asked.id] = cell
        return _verdict(asked, cell)

    @line_magic
    def check(self, line: str) -> Verdict | None:
        """%check CASE/N [FILE]: judge a file of this VM, or the last cell that was judged, again."""
        id, _, file = line.strip().partition(" ")
        asked = _named(id)
        if not asked:
            return None
        if file:
            try:
                return _verdict(asked, Path(file.strip()).expanduser().read_text())
            except (OSError, UnicodeDecodeError) as error:
                print(
                    f"cannot read {file.strip()}: {error}. Next: %%writefile {file.strip()}, in a cell with the answer"
                )
        elif asked.id in self.answers:
            return _verdict(asked, self.answers[asked.id])
        else:
            print(
                f"no answer to {asked.id} was judged in this notebook yet. Next: %%answer {asked.id}, above your answer"
            )
        return None

    @line_magic
    def hint(self, line: str) -> None:
        """%hint CASE/N: the next hint; the last one again when all were shown."""
        if asked := _named(line):
            number = min(_hints(asked.id) + 1, len(asked.hints))
            keep({"exercise": asked.id, "hint": number})
            print(f"hint {number} of {len(asked.hints)}: {asked.hints[number - 1]}")

    @line_magic
    def list(self, line: str) -> None:
        """%list: each exercise, and how far one is with it."""
        for id, each in exercises().items():
            print(f"{id:<18} {each.title}  [{_state(id)}]")
        print(ONLY_HERE.format("./lab list"))


def _named(line: str) -> Exercise | None:
    """The exercise of this name; without one, those that there are are said."""
    try:
        return exercise(line.strip())
    except WrongCall as unknown:
        print(unknown)
        return None


def _verdict(asked: Exercise, answer: str) -> Verdict | None:
    if asked.applies != "guest":
        print(f"an answer to {asked.id} makes a machine of its own: ./lab check {asked.id} FILE, in a terminal")
        return None
    verdict, evidence = take_and_judge(asked.id, answer)
    if not verdict.unanswered:
        verdict.keep()
    verdict.picture = picture(evidence) if evidence else None
    return verdict


def _hints(id: str) -> int:
    """How many hints were shown."""
    return max((event["hint"] for event in kept(id) if type(event.get("hint")) is int), default=0)


def _state(id: str) -> str:
    """The state of an exercise, as `./lab list` says it."""
    verdicts = [event.get("verdict") for event in kept(id)]
    if "PASS" in verdicts:
        return "passed"
    tries, hints = verdicts.count("FAIL"), _hints(id)
    words = [f"{tries} tried" if tries else "", f"{hints} hints" if hints else ""]
    return ", ".join(filter(None, words)) or "open"
