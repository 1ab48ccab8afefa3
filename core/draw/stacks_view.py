"""How is an expected stack shown beside an observed one: in a terminal, a notebook, a page?

Both renderings read the dict of `labs.trace.stacks.Comparison.to_json()`, so they say the same.
Colour is never the only sign: each state has a word and a mark of its own.
"""

import re
import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NotRequired, TypedDict

from core import style
from core.draw import parts
from core.draw.page import ALONE, Page
from core.draw.tree import Element, h

# state: (mark in a terminal, mark in HTML, CSS class)
MARKS = {
    "seen": ("=", "\N{CHECK MARK}", "wpw-seen"),
    "renamed": (">", "\N{RIGHTWARDS ARROW}", "wpw-renamed"),
    "folded": ("~", "\N{ALMOST EQUAL TO}", "wpw-folded"),
    "by chance": ("?", "?", "wpw-chance"),
    "missing": ("!", "\N{MULTIPLICATION SIGN}", "wpw-missing"),
    "also there": ("+", "+", "wpw-extra"),
}
COLUMNS = ("State", "The report", "The kernel")
LONG = 10  # a stack of up to so many frames is shown whole
RUN = 3  # and so are fewer frames in a row
PROVEN = {"leaves no frame": "tail call", "inlined": "inlined"}  # how a reason ends: what it proves

# Selectors name three classes so that they win over the table rules of notebook and page themes.
CSS = style.css("""
.wpw-stack{margin:1.2em 0;color:inherit;--wpw-s-bad:$stall;
 --wpw-s-note:$icmp;--wpw-s-rule:rgba(128,128,128,.32)}
.wpw-stack .wpw-scroll{position:relative;overflow-x:auto;max-width:100%;container-type:inline-size}
.wpw-stack .wpw-scroll table.wpw-frames{border-collapse:collapse;border:0;margin:0;width:auto;
 min-width:30em;table-layout:auto;background:transparent;color:inherit;font-size:.9rem;line-height:1.45}
.wpw-stack figcaption{text-align:left;color:inherit;margin:0 0 .5em;font-weight:600;font-size:1rem}
.wpw-stack figcaption small{display:block;font-weight:400;font-size:.86rem;opacity:.88}
.wpw-stack table.wpw-frames caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
 white-space:nowrap}
.wpw-stack table.wpw-frames a{color:inherit;text-decoration:underline;text-underline-offset:.38em}
.wpw-stack table.wpw-frames tr.wpw-row{background:transparent;color:inherit}
.wpw-stack table.wpw-frames .wpw-row>*{border:0;padding:.16em .9em .16em .55em;text-align:left;
 vertical-align:top;font-weight:400;background:transparent;color:inherit;max-width:none}
.wpw-stack table.wpw-frames .wpw-head>*{border-bottom:2px solid var(--wpw-s-rule);font-weight:600}
.wpw-stack table.wpw-frames .wpw-frame>*{border-top:1px solid var(--wpw-s-rule)}
.wpw-stack table.wpw-frames .wpw-row>:first-child{border-left:4px solid transparent;white-space:nowrap}
.wpw-stack table.wpw-frames .wpw-row.wpw-renamed>:first-child,
.wpw-stack table.wpw-frames .wpw-row.wpw-folded>:first-child,
.wpw-stack table.wpw-frames .wpw-row.wpw-chance>:first-child{border-left-color:var(--wpw-s-note)}
.wpw-stack table.wpw-frames .wpw-row.wpw-missing>*{font-weight:700}
.wpw-stack table.wpw-frames .wpw-row.wpw-missing>:first-child{border-left-color:var(--wpw-s-bad)}
.wpw-stack table.wpw-frames .wpw-row.wpw-extra>*{opacity:.72}
.wpw-stack table.wpw-frames code{background:none;border:0;padding:0;color:inherit;font-size:.95em;
 font-weight:inherit;white-space:nowrap}
.wpw-stack table.wpw-frames .wpw-why>*{padding-top:0;font-size:.86rem;font-weight:400;white-space:normal}
.wpw-stack table.wpw-frames .wpw-why p{margin:0;font-size:inherit;font-weight:400;max-width:34em;
 max-width:max(12em,min(38em,100cqw - 10em))}
.wpw-stack .wpw-mark{display:inline-block;width:1.25em;font-weight:700}
""")


class Row(TypedDict):
    """A frame: its `state` (one of MARKS), its names in the report (`told`) and in the kernel (`observed`), None where
    it is not, why it differs, and what the file of the expected stack says of it."""

    state: str
    told: str | None
    observed: str | None
    reason: str | None
    note: str | None
    source: NotRequired[str | None]


class Comparison(TypedDict):
    """An expected stack beside an observed one, newest call first."""

    title: str
    ok: bool
    missing: list[str]
    summary: str
    rows: Sequence[Row]


def text(comparison: Comparison, width: int = 80) -> str:
    """The comparison as lines of at most `width` columns (the shortest sensible one is 40)."""
    rows = comparison["rows"]
    room = (max(width, 40) - 16) // 2
    lines = textwrap.wrap(comparison["title"], width)
    lines.append(f"  {'':<12}{'expected':<{room}} observed")
    for row in rows:
        expected, observed = row["told"] or "", row["observed"] or "-"
        lines.append(
            f"{MARKS[row['state']][0]} {word(row):<12}{_cut(expected, room):<{room}} {_cut(observed, room)}".rstrip()
        )
        for remark in remarks(row):
            lines += textwrap.wrap(remark, width, initial_indent=" " * 14 + "| ", subsequent_indent=" " * 14 + "| ")
    outcome = "as expected" if comparison["ok"] else "NOT as expected"
    return "\n".join(lines + textwrap.wrap(f"{outcome}: {comparison['summary']}", width))


def counted(states: Mapping[str, int]) -> str:
    """How many rows are in each state, as in "14 frames expected: 11 seen, 1 renamed, 2 inlined or tail call,
    0 by chance, 0 missing; 3 also there"."""
    *expected, extra = [f"{states[state]} {'inlined or tail call' if state == 'folded' else state}" for state in MARKS]
    line = f"{sum(states.values()) - states['also there']} frames expected: {', '.join(expected)}"
    return f"{line}; {extra}" if states["also there"] else line


def word(row: Row) -> str:
    """A row's state as it is shown. That a frame was left by a tail call is said where the jump was found in the
    kernel's code, that it was inlined where no such function exists; its `reason` ends with that."""
    if row["state"] != "folded":
        return row["state"]
    reason = row["reason"]
    if reason is None:
        raise ValueError(f"expected why {row['told']} left no frame, found no reason")
    return next((word for end, word in PROVEN.items() if reason.endswith(end)), "no frame")


def _cut(name: str, room: int) -> str:
    return name if len(name) < room else name[: room - 3] + ".."


def remarks(row: Row) -> list[str]:
    """What is to be said of a row, in order: why it differs, then the note in the file of the expected stack."""
    return [remark for remark in (row["reason"], row["note"]) if remark]


def figure(comparison: Comparison, page: Page = ALONE) -> Element:
    """The comparison as one self-contained <figure class="wpw-stack">.

    `page` leads from functions to where the book explains them, and says which it speaks of: in a long stack the
    others stand back.
    """
    title = comparison["title"] or "The expected stack beside the kernel's"
    outcome = "As expected" if comparison["ok"] else "Not as expected"
    heads = h("tr", {"class": "wpw-row wpw-head"}, [h("th", {"scope": "col"}, name) for name in COLUMNS])
    body = h("tbody", {}, _rows(comparison["rows"], page))
    table = h("table", {"class": "wpw-frames"}, h("caption", {}, title), h("thead", {}, heads), body)
    said = h("small", {}, f"{outcome}: {comparison['summary']}. Newest call first.")
    return parts.figure("stack", CSS, [title, said], parts.scrolled(title, table))


def rows(comparison: Comparison) -> list[dict[str, str]]:
    """The comparison as records for a CSV file, one a frame."""
    made = []
    for row in comparison["rows"]:
        record = dict(zip(COLUMNS, (word(row), row["told"] or "", row["observed"] or "\N{EN DASH}")))
        made.append(record | ({"remark": " ".join(remarks(row))} if remarks(row) else {}))
    return made


def _rows(rows: Sequence[Row], page: Page) -> list[Element]:
    """The rows of the table. In a long stack each run of frames that the page does not speak of is marked, and before
    it stands a hidden row that says how many they are; a script, or a style sheet for paper, shows that one instead."""

    def decides(row: Row) -> bool:
        named = _function(row)
        return row is rows[0] or row["state"] == "missing" or not named or named in (page.named or ())

    made = []
    for decide, grouped in groupby(rows, decides):
        run = list(grouped)
        beside = page.named is not None and len(rows) > LONG and not decide and len(run) >= RUN
        if beside:
            cell = h("td", {"colspan": "3"}, f"{len(run)} more frames")
            made.append(h("tr", {"class": "wpw-row wpw-more", "hidden": True}, cell))
        made += [each for row in run for each in _row(row, page, "wpw-row wpw-beside" if beside else "wpw-row")]
    return made


def _function(row: Row) -> str:
    """The function that a row is about, without what a compiler or a tracer has appended."""
    return re.split(r"\W", row["told"] or row["observed"] or "", maxsplit=1)[0]


def _row(row: Row, page: Page, css: str) -> list[Element]:
    """A frame, and below it what is remarked on it."""
    _, mark, kind = MARKS[row["state"]]
    # The row's header is the cell that names its function, wherever that is known from.
    name = row["told"] or row["observed"]
    head = h("th", {"scope": "row"}, page.linked(name, h("code", {}, name)) if name else "\N{EN DASH}")
    other = h("code", {}, row["observed"]) if row["observed"] else "\N{EN DASH}"
    cells = [head, h("td", {}, other)] if row["told"] else [h("td"), head]
    state = h("td", {}, h("span", {"class": "wpw-mark", "aria-hidden": "true"}, mark), word(row))
    lines = [h("tr", {"class": f"{css} wpw-frame {kind}", "data-file": row.get("source") or None}, state, cells)]
    if said := remarks(row):
        paragraphs = [h("p", {}, remark) for remark in said]
        lines.append(h("tr", {"class": f"{css} wpw-why {kind}"}, h("td"), h("td", {"colspan": "2"}, paragraphs)))
    return lines
