"""What does one state of a system look like: its parts, what is in each, and what has changed since the state before?

A part is a box with fields. A field holds words, or a queue of segments, each a box with its size. A part may keep
another: an arrow. At the top stands the time, or what has been counted, on a line that all states share. What was
recorded is upright and bold, what follows from the source is in italics, and what has changed has a ground and a bar of
its own. A part with `ruler` draws its queues to scale, one below the other. The rooms are reckoned for DejaVu Sans,
which is wider than what readers' machines have.
"""

from core.draw.tree import Element, h

WIDTH, GAP, PAD = 360.0, 10.0, 8.0  # pixels
TIME_H, TITLE_H, FIELD_H, RULER_H, END_H = 24.0, 19.0, 18.0, 22.0, 4.0
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


def svg(picture: dict, number: int) -> Element:
    """Draw state `number` of a picture (see `states.read`)."""
    state = picture["states"][number]
    before = picture["states"][number - 1] if number else state
    places, height = _places(picture)
    arrows = [
        _arrow(places, name, kept, (1 + slot) / (1 + len(state["keeps"])), before["keeps"].get(name) != kept)
        for slot, (name, kept) in enumerate(state["keeps"].items())
    ]
    boxes = [_box(picture, state, before, name, place) for name, place in places.items()]
    size = {"viewBox": f"0 0 {WIDTH:g} {height:g}", "width": f"{WIDTH:g}", "height": f"{height:g}"}
    words = {"role": "img", "aria-label": said(picture, number)}
    return h("svg", size | words, _time(picture, number), boxes, arrows)


def _places(picture: dict) -> tuple[dict[str, tuple[float, float, float, float]], float]:
    """Where each box lies, as (x, y, width, height), and how high all is."""
    keepers = {name for state in picture["states"] for name in state["keeps"]}
    places, y, gap = {}, TIME_H, 0.0
    for row in picture["rows"]:
        width = (WIDTH - 2 - GAP * (len(row) - 1)) / len(row)
        heights = [_top(box) + _row(box) * len(box["fields"]) + END_H for box in map(picture["boxes"].get, row)]
        for column, (name, height) in enumerate(zip(row, heights)):
            places[name] = (1 + column * (width + GAP), y, width, height)
        gap = OF_ARROWS if keepers.intersection(row) else BELOW
        y += max(heights) + gap
    return places, y - gap + 1


def _top(box: dict) -> float:
    """The room above a box's first field."""
    return TITLE_H if box["title"] else END_H


def _row(box: dict) -> float:
    """The height of each of a box's fields."""
    return RULER_H if box.get("ruler") else FIELD_H


def _time(picture: dict, number: int) -> list[Element]:
    """The time of a state, or its count, in words and on a line: a tick for each state, a thick dashed piece where
    somebody waits, and at its end the last state's time or number. Without times and counts the words alone."""
    state = picture["states"][number]
    last = max(each["at"] for each in picture["states"]) or 1

    def x(at: float) -> float:
        return LINE_FROM + (LINE_TO - LINE_FROM) * at / last

    ticks = "".join(f"M{x(each['at']):.1f} 6V14" for each in picture["states"])
    waits, now = [], x(state["at"])
    for earlier, each in zip(picture["states"], picture["states"][1:]):
        if each["waits"]:
            start, end = x(earlier["at"]), x(each["at"])
            waits.append(h("path", {"class": "wpw-waits", "d": f"M{start:.1f} 10H{end:.1f}"}))
            now = (start + end) / 2 if each is state else now
    when = h("text", {"class": "wpw-when", "x": 1, "y": 14}, state["when"])
    if not picture["unit"]:
        return [when]
    ends = f"{last:.0f} ms" if picture["unit"] == "ms" else f"{last:.0f}"
    return [
        when,
        h("path", {"class": "wpw-line", "d": f"M{x(0):.1f} 10H{x(last):.1f}{ticks}"}),
        *waits,
        h("circle", {"class": "wpw-now", "cx": f"{now:.1f}", "cy": 10, "r": 5}),
        h("text", {"class": "wpw-ends", "x": f"{WIDTH - 1:g}", "y": 13.5, "text-anchor": "end"}, ends),
    ]


def _box(picture: dict, state: dict, before: dict, name: str, place: tuple[float, float, float, float]) -> Element:
    """One part with its fields; what it `is`, such as stale, stands at the right of its last row."""
    x, y, width, height = place
    box, kind = picture["boxes"][name], state["is"].get(name, "")
    changed = " changed" if before["is"].get(name, "") != kind else ""
    parts = [h("rect", {"class": f"wpw-box{changed}", **_area(x, y, width, height), "rx": 5})]
    if box["title"]:
        parts.append(h("text", {"class": "wpw-title", **_at(x + PAD, y + 14)}, box["title"]))
    if kind:
        parts.append(h("text", {"class": "wpw-kind", **_at(x + width - PAD, y + height - 9)}, kind))
    row = _row(box)
    queues = [len(field) for field in box["fields"] if isinstance(state["boxes"][name][field], dict)]
    for number, field in enumerate(box["fields"]):
        top, value = y + _top(box) + row * number, state["boxes"][name][field]
        if before["boxes"][name][field] != value and (value or not box.get("passing")):
            parts.append(h("rect", {"class": "wpw-ground", **_area(x + 2, top, width - 4, row - 1)}))
            parts.append(h("path", {"class": "wpw-bar", "d": f"M{x + 2:g} {top:g}v{row - 1:g}"}))
        parts.append(_field(field, value, x + PAD, top + row / 2 + 3.5))
        if isinstance(value, dict):
            start = x + PAD + max(queues) * LETTER_W + LABEL_GAP
            right = x + width - PAD
            scale = (right - start) / _longest(picture, name) if box.get("ruler") else None
            parts.extend(_queue(value["queue"], start, top, row, right, scale))
    return h("g", {"class": f"wpw-part {''.join(c if c.isalnum() else '-' for c in kind)}"}, parts)


def _at(x: float, y: float) -> dict[str, str]:
    return {"x": f"{x:g}", "y": f"{y:g}"}


def _area(x: float, y: float, width: float, height: float) -> dict[str, str]:
    return {**_at(x, y), "width": f"{width:g}", "height": f"{height:g}"}


def _field(name: str, value: Text | dict, x: float, y: float) -> Element:
    """The name of a field, and its words behind it."""
    pieces = [] if isinstance(value, dict) else value or [("\N{EN DASH}", False)]
    label = h("tspan", {"class": "wpw-label"}, f"{name} ")
    return h("text", _at(x, y), label, [h("tspan", {"class": KINDS[recorded]}, piece) for piece, recorded in pieces])


def _longest(picture: dict, name: str) -> int:
    """The bytes of the longest queue that a part ever has."""
    fields = [value for state in picture["states"] for value in state["boxes"][name].values()]
    return max(sum(map(abs, value["queue"])) for value in fields if isinstance(value, dict)) or 1


def _queue(
    sizes: list[int], x: float, top: float, row: float, right: float, scale: float | None = None
) -> list[Element]:
    """A trough, and in it a box for each segment with its bytes; with a scale no trough, and each as long as its bytes.
    What is missing is a box without a ground, and says its bytes where there is room."""
    trough = h("path", {"class": "wpw-trough", "d": f"M{right:g} {top + 2:g}H{x:g}V{top + row - 3:g}H{right:g}"})
    drawn, at, gap = ([], x, 0.0) if scale else ([trough], x + CHIP_GAP, CHIP_GAP)
    for size in sizes:
        written = len(str(abs(size))) * DIGIT_W + 2 * CHIP_PAD
        width = abs(size) * scale if scale else written
        room = {"x": f"{at:.5g}", "y": f"{top + 3:g}", "width": f"{width:.5g}", "height": f"{row - 7:g}"}
        drawn.append(h("rect", {"class": f"wpw-chip{' missing' if size < 0 else ''}", **room, "rx": 2}))
        if width >= written:
            middle = {"x": f"{at + width / 2:.5g}", "y": f"{top + row / 2 + 3.1:g}"}
            drawn.append(h("text", {"class": "wpw-size", **middle}, str(abs(size))))
        at += width + gap
    return drawn


def _arrow(places: dict, name: str, kept: str, share: float, changed: bool) -> Element:
    """An arrow from a part down to one that it keeps. Each arrives at its own share of the width, so that two can be
    told apart."""
    (x, y, width, height), (to_x, to_y, to_width, _) = places[name], places[kept]
    start, end, bottom = x + width / 2, to_x + to_width * share, y + height
    curve = f"C{start:.1f} {bottom + 14:g} {end:.1f} {to_y - 16:g} {end:.1f} {to_y - 5:g}"
    return h(
        "g",
        {"class": f"wpw-keeps{' changed' if changed else ''}"},
        h("path", {"d": f"M{start:.1f} {bottom:g}{curve}"}),
        h("path", {"class": "wpw-head", "d": f"M{end:.1f} {to_y:g}l-4 -7h8z"}),
    )
