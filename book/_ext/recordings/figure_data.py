"""What data is behind a recorded figure, and where does a reader get it?

Each figure's numbers are written beside the site's pages as

    _data/<case>/<figure>.csv and .json, or .txt

A file `<figure>.*` that `./lab record` stored beside the figure, such as a capture, is copied there
too, and the whole recording is `_data/<case>.json`.
"""

import csv
import io
import json
import shutil
from pathlib import Path

from core.draw import figures

FOLDER = "_data"


def figure_files(figure: dict, about: dict) -> dict[str, str]:
    """Files by suffix with the data of a figure; `about` begins each that can hold it."""
    if (text := figures.text(figure)) is not None:
        return {"txt": f"{about['says']}\n\n{text.rstrip()}\n"}
    rows = figures.rows(figure)
    if not rows:
        return {}
    columns = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return {"csv": out.getvalue(), "json": json.dumps(about | {"rows": rows}, indent=1, ensure_ascii=False) + "\n"}


def names(folder: Path, case: str, name: str, figure: dict) -> list[str]:
    """The files offered beside a figure, the derived ones first."""
    derived = [f"{name}.{suffix}" for suffix in figure_files(figure, {"says": ""})]
    beside = (path.name for path in (folder / case).glob(f"{name}.*"))
    return [*derived, *sorted(each for each in beside if not each.endswith(figures.SUFFIX))]


def write(folder: Path, out: Path, says) -> None:
    """Every recording's data below `out`. `says(recording, where)` gives the sentence on its origin."""
    for recording in sorted(folder.glob("*.json")):
        case = recording.stem
        data = json.loads(recording.read_text("utf-8"))
        target = out / FOLDER / case
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(recording, target.with_suffix(".json"))
        for file in sorted((folder / case).glob("*.*")):
            name = file.name.removesuffix(figures.SUFFIX)
            if name == file.name:
                shutil.copyfile(file, target / name)
                continue
            about = {
                "case": case,
                "figure": name,
                "provenance": data["provenance"],
                "says": says(data["provenance"], recording.name),
            }
            try:
                made = figure_files(json.loads(file.read_text("utf-8")), about)
            except ValueError:
                continue  # the page that shows it says what is wrong
            for suffix, text in made.items():
                (target / f"{name}.{suffix}").write_text(text, "utf-8")
