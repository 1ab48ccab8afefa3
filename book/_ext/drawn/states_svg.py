"""What does one state of a system look like: its parts, what is in each, and what has changed since the state before?

A part is a box with fields. A field holds words, or a queue of segments, each a box with its size. A part may keep
another: an arrow. At the top stands the time, or what has been counted, on a line that all states share. What was
recorded is upright and bold, what follows from the source is in italics, and what has changed has a ground and a bar of
its own. A part with `ruler` draws its queues to scale, one below the other. The rooms are reckoned for DejaVu Sans,
which is wider than what readers' machines have.
"""

from __future__ import annotations

from html import escape

WIDTH, GAP, PAD = 360.0, 10.0, 8.0  # pixels
TIME_H, TITLE_H, FIELD_H, END_H = 24.0, 19.0, 18.0, 4.0
BELOW, OF_ARROWS = 8.0, 28.0  # between two rows of boxes, and where arrows go down
LETTER_W, DIGIT_W = 5.8, 6.4  # of a field's name at 10.5 pixels, of a size at 10
LABEL_GAP, CHIP_GAP, CHIP_PAD = 5.0, 3.0, 3.0
LINE_FROM, LINE_TO = 106.0, WIDTH - 48  # what is left is for the last time
KINDS = {True: "wpw-told", False: "wpw-follows"}  # recorded, or from the source

# A text is a list of pieces, each (words, whether they were recorded); a queue a list of sizes in bytes, below 0 for
# what is missing there.
Text = list[tuple[str, bool]]


def words(text: Text) -> str:
    """A text without its marks."""
    return "".join(piece for piece, _ in text)


def said(picture: dict, number: int) -> str:
    """A state in words, as the picture's text alternative."""
    state = picture["states"][number]
    parts = []
    for name, box in picture["boxes"].items():
        fields = [f"{field}: {_said(state['boxes'][name][field])}" for field in box["fields"]]
        kept = state["keeps"].get(name)
        fields += [f"keeps: {_title(picture, state, kept)}"] if kept else []
        parts.append(": ".join(filter(None, [_title(picture, state, name), ", ".join(fields)])) + ".")
    return " ".join([*([f"{state['when']}."] if state["when"] else []), *parts])


def _title(picture: dict, state: dict, name: str) -> str:
    kind = state["is"].get(name)
    return f"{picture['boxes'][name]['title']} ({kind})" if kind else picture["boxes"][name]["title"]


def _said(value: Text | dict) -> str:
    if isinstance(value, dict):
        return " and ".join(f"{size} bytes" if size > 0 else f"{-size} missing" for size in value["queue"]) or "empty"
    return words(value) or "none"


def svg(picture: dict, number: int) -> str:
    """State `number` of a picture (see `states.read`) as an <svg>."""
    state = picture["states"][number]
    before = picture["states"][number - 1] if number else state
    places, height = _places(picture)
    arrows = [
        _arrow(places, name, kept, (1 + slot) / (1 + len(state["keeps"])), before["keeps"].get(name) != kept)
        for slot, (name, kept) in enumerate(state["keeps"].items())
    ]
    boxes = [_box(picture, state, before, name, place) for name, place in places.items()]
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {height:g}" width="{WIDTH:g}" height="{height:g}" role="img" '
        f'aria-label="{escape(said(picture, number))}">{_time(picture, number)}{"".join(boxes)}{"".join(arrows)}</svg>'
    )


def _places(picture: dict) -> tuple[dict[str, tuple[float, float, float, float]], float]:
    """Where each box lies, as (x, y, width, height), and how high all is."""
    keepers = {name for state in picture["states"] for name in state["keeps"]}
    places, y, gap = {}, TIME_H, 0.0
    for row in picture["rows"]:
        width = (WIDTH - 2 - GAP * (len(row) - 1)) / len(row)
        heights = [_top(box) + FIELD_H * len(box["fields"]) + END_H for box in map(picture["boxes"].get, row)]
        for column, (name, height) in enumerate(zip(row, heights)):
            places[name] = (1 + column * (width + GAP), y, width, height)
        gap = OF_ARROWS if keepers.intersection(row) else BELOW
        y += max(heights) + gap
    return places, y - gap + 1


def _top(box: dict) -> float:
    """The room above a box's first field."""
    return TITLE_H if box["title"] else END_H


def _time(picture: dict, number: int) -> str:
    """When it is, or how many there are, in words and on a line: a tick for each state, a thick dashed piece where
    somebody waits, and at its end the last state's time or number. Without times and counts the words alone."""
    state = picture["states"][number]
    last = max(each["at"] for each in picture["states"]) or 1

    def x(at: float) -> float:
        return LINE_FROM + (LINE_TO - LINE_FROM) * at / last

    ticks = "".join(f"M{x(each['at']):.1f} 6V14" for each in picture["states"])
    waits, now = "", x(state["at"])
    for earlier, each in zip(picture["states"], picture["states"][1:]):
        if each["waits"]:
            start, end = x(earlier["at"]), x(each["at"])
            waits += f'<path class="wpw-waits" d="M{start:.1f} 10H{end:.1f}"/>'
            now = (start + end) / 2 if each is state else now
    said = f'<text class="wpw-when" x="1" y="14">{escape(state["when"])}</text>'
    if not picture["unit"]:
        return said
    ends = f"{last:.0f} ms" if picture["unit"] == "ms" else f"{last:.0f}"
    return (
        f'{said}<path class="wpw-line" d="M{x(0):.1f} 10H{x(last):.1f}{ticks}"/>{waits}'
        f'<circle class="wpw-now" cx="{now:.1f}" cy="10" r="5"/>'
        f'<text class="wpw-ends" x="{WIDTH - 1:g}" y="13.5" text-anchor="end">{ends}</text>'
    )


def _box(picture: dict, state: dict, before: dict, name: str, place: tuple[float, float, float, float]) -> str:
    """One part with its fields; what it `is`, such as stale, stands at the right of its last row."""
    x, y, width, height = place
    box, kind = picture["boxes"][name], state["is"].get(name, "")
    changed = " changed" if before["is"].get(name, "") != kind else ""
    parts = [f'<rect class="wpw-box{changed}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5"/>']
    if box["title"]:
        parts.append(f'<text class="wpw-title" x="{x + PAD:g}" y="{y + 14:g}">{escape(box["title"])}</text>')
    if kind:
        parts.append(f'<text class="wpw-kind" x="{x + width - PAD:g}" y="{y + height - 9:g}">{escape(kind)}</text>')
    queues = [len(field) for field in box["fields"] if isinstance(state["boxes"][name][field], dict)]
    for number, field in enumerate(box["fields"]):
        top, value = y + _top(box) + FIELD_H * number, state["boxes"][name][field]
        if before["boxes"][name][field] != value and (value or not box.get("passing")):
            parts.append(
                f'<rect class="wpw-ground" x="{x + 2:g}" y="{top:g}" width="{width - 4:g}" height="{FIELD_H - 1:g}"/>'
                f'<path class="wpw-bar" d="M{x + 2:g} {top:g}v{FIELD_H - 1:g}"/>'
            )
        parts.append(_field(field, value, x + PAD, top + 12.5))
        if isinstance(value, dict):
            start = x + PAD + max(queues) * LETTER_W + LABEL_GAP
            right = x + width - PAD
            scale = (right - start) / _longest(picture, name) if box.get("ruler") else None
            parts.append(_queue(value["queue"], start, top, right, scale))
    return f'<g class="wpw-part {"".join(c if c.isalnum() else "-" for c in kind)}">{"".join(parts)}</g>'


def _field(name: str, value: Text | dict, x: float, y: float) -> str:
    """The field's name, and its words behind it."""
    pieces = [] if isinstance(value, dict) else value or [("\N{EN DASH}", False)]
    said = "".join(f'<tspan class="{KINDS[recorded]}">{escape(piece)}</tspan>' for piece, recorded in pieces)
    return f'<text x="{x:g}" y="{y:g}"><tspan class="wpw-label">{escape(name)} </tspan>{said}</text>'


def _longest(picture: dict, name: str) -> int:
    """The bytes of the longest queue that a part ever has."""
    fields = [value for state in picture["states"] for value in state["boxes"][name].values()]
    return max(sum(map(abs, value["queue"])) for value in fields if isinstance(value, dict)) or 1


def _queue(sizes: list[int], x: float, top: float, right: float, scale: float | None = None) -> str:
    """A trough, and in it a box for each segment with its bytes; with a scale no trough, and each as long as its bytes.
    What is missing is a box without a ground, and says its bytes where there is room."""
    made = f'<path class="wpw-trough" d="M{right:g} {top + 2:g}H{x:g}V{top + FIELD_H - 3:g}H{right:g}"/>'
    made, at, gap = ("", x, 0.0) if scale else (made, x + CHIP_GAP, CHIP_GAP)
    for size in sizes:
        written = len(str(abs(size))) * DIGIT_W + 2 * CHIP_PAD
        width = abs(size) * scale if scale else written
        made += (
            f'<rect class="wpw-chip{" missing" if size < 0 else ""}" x="{at:.5g}" y="{top + 4:g}" '
            f'width="{width:.5g}" height="{FIELD_H - 9:g}" rx="2"/>'
        )
        if width >= written:
            made += f'<text class="wpw-size" x="{at + width / 2:.5g}" y="{top + 12.3:g}">{abs(size)}</text>'
        at += width + gap
    return made


def _arrow(places: dict, name: str, kept: str, share: float, changed: bool) -> str:
    """From a part down to the one that it keeps; each arrives at its own share of the width, so that two can be told
    apart."""
    (x, y, width, height), (to_x, to_y, to_width, _) = places[name], places[kept]
    start, end, bottom = x + width / 2, to_x + to_width * share, y + height
    return (
        f'<g class="wpw-keeps{" changed" if changed else ""}"><path d="M{start:.1f} {bottom:g}C{start:.1f} '
        f'{bottom + 14:g} {end:.1f} {to_y - 16:g} {end:.1f} {to_y - 5:g}"/>'
        f'<path class="wpw-head" d="M{end:.1f} {to_y:g}l-4 -7h8z"/></g>'
    )
