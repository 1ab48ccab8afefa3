"""How does a flame graph become a picture that reads in light and dark, without colour, and aloud?

One <figure> with inline SVG: the outermost call at the bottom, each callee on its caller. Boxes are
outlines with a tint, stronger the more of the time is the function's own, and
each says its figures when pointed at or focused. The functions follow as a table that can be opened.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from core import style
from core.draw import parts
from core.draw.page import ALONE, Page
from core.draw.tree import Element, h

if TYPE_CHECKING:  # it imports us
    from core.draw.flame import Call, Flame

WIDTH, ROW, EDGE = 760, 19, 1.0
LETTER_W = 6.4  # of the widest font that readers are likely to have, at the size below
NARROWEST = 4.0  # pixels; narrower calls are left out, and said to be
TABLE = "These functions as a table"

CSS = style.css("""
.wpw-flame{margin:1.4em 0;color:inherit}
.wpw-flame figcaption{text-align:left;font-weight:600;font-size:1rem;margin:0 0 .5em;color:inherit}
.wpw-flame .wpw-scroll{overflow-x:auto;max-width:100%}
.wpw-flame svg{display:block;width:100%;height:auto;max-width:760px;min-width:660px;background:none;
 font-family:$font;font-size:11.5px;overflow:visible}
.wpw-flame svg text{fill:currentColor;stroke:none;pointer-events:none}
.wpw-flame .wpw-call rect{fill:$stall;stroke:currentColor;stroke-opacity:.5;stroke-width:.8}
.wpw-flame .wpw-call:hover rect,.wpw-flame .wpw-call:focus rect{stroke-opacity:1;stroke-width:1.8}
.wpw-flame .wpw-call:focus{outline:none}
.wpw-flame .wpw-foot,.wpw-flame details{font-size:.84rem;margin:.35em 0 0;color:inherit}
.wpw-flame .wpw-foot{opacity:.85;max-width:760px}
.wpw-flame details table{border-collapse:collapse;margin:.4em 0;color:inherit;background:transparent;width:auto;
 font-size:inherit}
.wpw-flame details table tr{background:transparent}
.wpw-flame details table tr>*{text-align:left;padding:.15em .8em .15em 0;border:0;background:transparent;
 border-bottom:1px solid rgba(128,128,128,.32);color:inherit;max-width:none}
""")


def figure(flame: Flame, page: Page = ALONE) -> Element:
    """`core.draw.flame.Flame` as one self-contained <figure class="wpw-flame">. `page` leads from functions to code."""
    calls = [(call, depth, start) for call, depth, start in flame.root().walk() if depth]
    scale = WIDTH / max(flame.samples, 1)
    drawn = [one for one in calls if one[0].samples * scale >= NARROWEST]
    deepest = max((depth for _, depth, _ in drawn), default=0)
    height = deepest * ROW + 4
    boxes = [
        _box(call, start * scale, call.samples * scale, height - 2 - depth * ROW, flame.samples)
        for call, depth, start in drawn
    ]
    title = flame.title or "Where the time goes"
    left_out = f" {len(calls) - len(drawn)} calls are too narrow to draw." if len(drawn) < len(calls) else ""
    foot = (
        f"{flame.samples} samples. A box is as wide as the share of time with its function "
        "on the stack, and stands on its caller; the stronger its tint, the more of that time is its own."
        f"{left_out}"
    )
    names = flame.title + flame.folded()
    svg = parts.drawing(WIDTH, height, title, summary(flame), names, boxes, role="group")
    return parts.figure("flame", CSS, title, svg, h("p", {"class": "wpw-foot"}, foot), _table(flame, page))


def summary(flame: Flame) -> str:
    """The picture in a sentence, for those who do not see it."""
    own = list(flame.own().items())[:5]
    return "Time by function, without what it calls: " + ", ".join(f"{name} {share:.0%}" for name, share in own) + "."


def _box(call: Call, x: float, width: float, y: float, samples: int) -> Element:
    share, own = call.samples / samples, call.own / samples
    said = f"{call.name}: {share:.1%} of the time, {own:.1%} its own"
    tint = 0.06 + 0.5 * (call.own / call.samples)
    room = int((width - 6) / LETTER_W)
    name = call.name if len(call.name) <= room else call.name[: room - 1] + "\N{HORIZONTAL ELLIPSIS}"
    box = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{max(width - EDGE, 0.6):.1f}", "height": f"{ROW - EDGE:.1f}"}
    return h(
        "g",
        {"class": "wpw-call", "tabindex": "0", "role": "img", "aria-label": said},
        h("title", {}, said),
        h("rect", box | {"rx": 2, "fill-opacity": f"{tint:.2f}"}),
        h("text", {"x": f"{x + 4:.1f}", "y": f"{y + ROW - 6:.1f}"}, name) if room >= 4 else None,
    )


COLUMNS = ("function", "its own", "with callees")


def rows(flame: Flame) -> list[dict[str, str]]:
    """Functions by their own share, as records for a CSV file; what has less than a thousandth is left out."""
    total: defaultdict[str, float] = defaultdict(float)
    for stack, count in flame.stacks.items():
        for name in set(stack):
            total[name] += count / flame.samples
    return [
        dict(zip(COLUMNS, (name, f"{share:.1%}", f"{total[name]:.1%}")))
        for name, share in flame.own().items()
        if share >= 0.001
    ]


def _table(flame: Flame, page: Page) -> Element:
    """The flame graph as a table that can be opened."""
    records = (record.values() for record in rows(flame))
    lines = [parts.line(page.linked(name, h("code", {}, name)), *shares) for name, *shares in records]
    return parts.opened(TABLE, COLUMNS, lines)
