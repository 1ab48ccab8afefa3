"""How often does a case reproduce, if it is run again and again? Each run makes hosts of its own."""

from collections.abc import Callable
from dataclasses import dataclass

from core.statuses import OUTCOMES
from core.summary import five_numbers
from labs.case import Outcome


@dataclass(frozen=True)
class Repeated:
    """The outcomes of a case's runs, in order: `./lab run CASE --rounds N`."""

    case: str
    runs: list[Outcome]

    @property
    def reproduced(self) -> bool | None:
        """False if one run says no, None if none could tell."""
        conclusive = [run.reproduced for run in self.runs if run.reproduced is not None]
        return all(conclusive) if conclusive else None

    @property
    def counts(self) -> dict[str, int]:
        """How often each outcome came."""
        return {word: sum(run.reproduced is said for run in self.runs) for said, word in OUTCOMES.items()}

    @property
    def figure(self) -> str:
        """What the case's figure is; empty if no run could tell."""
        return next((run.headline[0] for run in self.runs if run.reproduced is not None), "")

    @property
    def figures(self) -> list[float]:
        """What the case's figure came to, in the runs that could tell."""
        return [run.headline[1] for run in self.runs if run.reproduced is not None]

    def to_json(self) -> dict:
        """Plain values; "runs" has each run's own."""
        figures = self.figures
        five = five_numbers(figures) if figures else {}
        return {
            "case": self.case,
            "reproduced": self.reproduced,
            "outcome": OUTCOMES[self.reproduced],
            "counts": self.counts,
            "figure": self.figure,
            "figures": figures,
            "spread": {word: five[word] for word in ("min", "median", "max")} if five else None,
            "reasons": [
                f"run {number}: {reason}"
                for number, run in enumerate(self.runs, 1)
                if not run.reproduced
                for reason in run.claimed()["reasons"]
                if not reason.startswith("yes")
            ],
            "runs": [run.to_json() for run in self.runs],
        }

    def text(self) -> str:
        """Text for the terminal: what was not yet said of each run; at most 80 columns."""
        lines = ["", ", ".join(f"{word} {count}" for word, count in self.counts.items())]
        if figures := self.figures:
            five = five_numbers(figures)
            lines += [f"{self.figure}:", f"  {five['min']:.1f} to {five['max']:.1f}, median {five['median']:.1f}"]
        for number, run in enumerate(self.runs, 1):
            if not run.reproduced:
                said = [line.strip() for line in run.outcome_lines() if not line.startswith("  yes")]
                lines += [f"run {number}: {line}" for line in said]
        return "\n".join(lines)


def repeated(case: str, run: Callable[[], Outcome], times: int, say: Callable[[str], None]) -> Repeated:
    """Runs the case so many times, whatever comes out; `say` gets a line for each."""
    runs = []
    for number in range(1, times + 1):
        runs.append(run())
        figure = "" if runs[-1].reproduced is None else f", {runs[-1].headline[1]:.1f}"
        say(f"run {number} of {times}: {OUTCOMES[runs[-1].reproduced]}{figure}")
    return Repeated(case, runs)
