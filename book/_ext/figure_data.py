"""What data is behind a recorded figure, and where does a reader get it?

Every picture of the lab carries its data: a ladder its table of packets, stacks and flame graphs the
table they are, a plot its series (as `<script type="application/json" class="wpw-data">`), a table in
plain text itself. They are written beside the site's pages as

    _data/<case>/<figure>.csv and .json, or .txt

A file `<figure>.*` that `./lab record` stored beside the figure, such as a capture, is copied there
too, and the whole recording is `_data/<case>.json`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

FOLDER = "_data"
SERIES = re.compile(r'<script type="application/json" class="wpw-data">(.*?)</script>', re.DOTALL)
PRE = re.compile(r"<pre[^>]*>(.*?)</pre>", re.DOTALL)
REMARK = "remark"


class Table(HTMLParser):
    """The first table of a piece of HTML. A cell over several columns is a remark on the row that it
    stands beside: the one before it if its row says so (`wpw-why`), else the one after it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.columns: list[str] = []
        self.rows: list[dict[str, str]] = []
        self.cells: list[str] | None = None
        self.remark: str | None = None
        self.pending, self.after, self.state, self.mark = "", False, "before", False
        self.feed(html)

    def handle_starttag(self, tag: str, attributes) -> None:
        given = dict(attributes)
        if tag == "table" and self.state == "before":
            self.state = "within"
        if self.state != "within":
            return
        if tag == "tr":
            self.cells, self.remark = [], None
            self.after = "wpw-why" in (given.get("class") or "")
        elif tag in ("td", "th") and self.cells is not None:
            if int(given.get("colspan") or 1) > 1:
                self.remark = ""
            else:
                self.cells.append("")
        elif tag == "span" and given.get("aria-hidden") == "true":
            self.mark = True
        elif tag == "p" and self.remark:
            self.remark += " "

    def handle_data(self, data: str) -> None:
        if self.state != "within" or self.cells is None or self.mark:
            return
        if self.remark is not None:
            self.remark += data
        elif self.cells:
            self.cells[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.mark = self.mark and tag != "span"
        if tag == "table" and self.state == "within":
            self.state = "behind"
        if self.state != "within" or tag != "tr" or self.cells is None:
            return
        if self.remark is not None and self.after and self.rows:
            self.rows[-1][REMARK] = self.remark.strip()
        elif self.remark is not None:
            self.pending = self.remark.strip()
        elif not self.columns:
            self.columns = [cell.strip() for cell in self.cells]
        else:
            row = dict(zip(self.columns, (cell.strip() for cell in self.cells)))
            self.rows.append(row | ({REMARK: self.pending} if self.pending else {}))
            self.pending = ""
        self.cells = None


def figure_files(html: str, about: dict) -> dict[str, str]:
    """Files by suffix with the data in a figure's HTML; `about` begins each that can hold it."""
    if series := SERIES.search(html):
        rows = json.loads(unescape(series[1]))
    elif (rows := Table(html).rows) or not (text := PRE.search(html)):
        pass
    else:
        words = unescape(re.sub(r"<[^>]+>", "", text[1])).rstrip("\n")
        return {"txt": f"{about['says']}\n\n{words}\n"}
    if not rows:
        return {}
    columns = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return {"csv": out.getvalue(), "json": json.dumps(about | {"rows": rows}, indent=1, ensure_ascii=False) + "\n"}


def names(folder: Path, case: str, figure: str) -> list[str]:
    """The files offered beside a figure, the derived ones first."""
    html = (folder / case / f"{figure}.html").read_text("utf-8")
    derived = [f"{figure}.{suffix}" for suffix in figure_files(html, {"says": ""})]
    stored = sorted(path.name for path in (folder / case).glob(f"{figure}.*") if path.suffix != ".html")
    return [*derived, *stored]


def write(folder: Path, out: Path, says) -> None:
    """Every recording's data below `out`. `says(recording, where)` gives the sentence on its origin."""
    for recording in sorted(folder.glob("*.json")):
        case = recording.stem
        data = json.loads(recording.read_text("utf-8"))
        target = out / FOLDER / case
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(recording, target.with_suffix(".json"))
        for file in sorted((folder / case).glob("*.*")):
            if file.suffix != ".html":
                shutil.copyfile(file, target / file.name)
                continue
            about = {
                "case": case,
                "figure": file.stem,
                "provenance": data["provenance"],
                "says": says(data["provenance"], recording.name),
            }
            for suffix, text in figure_files(file.read_text("utf-8"), about).items():
                (target / f"{file.stem}.{suffix}").write_text(text, "utf-8")
