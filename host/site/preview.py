"""What picture stands for a case outside the site? Its first figures side by side, as one SVG file
that follows the viewer's light or dark setting, and as a PNG for those who take no SVG."""

from html import escape

from core.draw.tree import Attribute, Element, h, markup
from host import chromium

GAP = 24  # around figures, in their own units
HEAD = 36
COLOURS = (
    ".wpw-preview{color:#1f2328}@media(prefers-color-scheme:dark){.wpw-preview{color:#e6edf3}}"
    ".wpw-preview>text{font:600 17px system-ui,sans-serif;fill:currentColor}"
)


def side_by_side(drawn: list[Element]) -> str:
    """One SVG of several figures of `core.draw.figures`. What a figure's caption says stands above it."""
    parts: list[Element | None] = []
    styles: dict[str, None] = {}
    x, height = 0.0, 0.0
    for figure in drawn:
        kind = str(figure.attributes["class"]).split()[0]
        svg = figure.first("svg")
        if svg is None:
            raise ValueError(f"expected a figure with a drawing, found one of {kind}")
        if style := figure.first("style"):
            # An <svg> within another takes the page's size rules; a <g> has none.
            styles[style.text().replace(f".{kind} svg", f".{kind} g")] = None
        wide, high = map(float, str(svg.attributes["viewBox"]).split()[2:])
        caption = figure.first("figcaption")
        head: dict[str, Attribute] = {"x": f"{x + wide / 2:g}", "y": 22, "text-anchor": "middle"}
        parts.append(h("text", head, caption.text()) if caption else None)
        moved = h("g", {"transform": f"translate({x:g} {HEAD})"}, *svg.children)
        parts.append(h("g", {"class": kind}, moved))
        x, height = x + wide + GAP, max(height, high)
    picture = h(
        "svg",
        {
            "class": "wpw-preview",
            "xmlns": "http://www.w3.org/2000/svg",
            "xmlns:xlink": "http://www.w3.org/1999/xlink",
            "viewBox": f"0 0 {x - GAP:g} {height + HEAD + GAP:g}",
        },
        h("style", {}, *styles, COLOURS),
        parts,
    )
    return markup(picture) + "\n"


PIXELS = {"width": 1200, "height": 630}  # what previews of links are cut to
CARD = """<!doctype html><style>
html,body{{margin:0;height:100%;background:#fff;color:#1f2328;font-family:system-ui,sans-serif}}
body{{display:flex;flex-direction:column;box-sizing:border-box;padding:34px 48px 40px}}
h1{{font-size:44px;line-height:1.15;margin:0 0 4px}} p{{font-size:24px;margin:0 0 22px;color:#57606a}}
svg.wpw-preview{{flex:1;min-height:0;width:100%}}
</style><h1>{title}</h1><p>Where Packets Wait</p>{picture}"""


def card(title: str, picture: str) -> bytes:
    """A PNG of 1200 by 630 pixels with the case's title above its picture, drawn by Chromium."""
    with chromium.tab(viewport=PIXELS, color_scheme="light") as page:
        page.set_content(CARD.format(title=escape(title), picture=picture))
        return page.screenshot(type="png")
