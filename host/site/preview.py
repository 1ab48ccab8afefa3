"""What picture stands for a case outside the site? Its first figures side by side, as one SVG file
that follows the viewer's light or dark setting, and as a PNG for those who take no SVG."""

import re
from html import escape

from host import chromium

GAP = 24  # around figures, in their own units
HEAD = 36
COLOURS = (
    ".wpw-preview{color:#1f2328}@media(prefers-color-scheme:dark){.wpw-preview{color:#e6edf3}}"
    ".wpw-preview>text{font:600 17px system-ui,sans-serif;fill:currentColor}"
)


def side_by_side(figures: list[str]) -> str:
    """One SVG of several figures in HTML, each a `<figure class="wpw-…">` that holds one <svg>, whose
    style (if it has one) stands before it and whose title is its <title> or its caption."""
    parts, styles, x, height = [], {}, 0, 0
    for html in figures:
        kind = re.search(r'class="(wpw-[\w-]+)', html)[1]
        around, _, drawing = html.partition("<svg ")
        if style := re.search(r"<style>(.*?)</style>", around, re.DOTALL):
            # An <svg> within another takes the page's size rules; a <g> has none.
            styles[style[1].replace(f".{kind} svg", f".{kind} g")] = None
        wide, high = (float(side) for side in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawing).groups())
        inside = re.search(r">(.*)</svg>", drawing, re.DOTALL)[1]
        title = re.search(r"<figcaption>(.*?)</figcaption>", around, re.DOTALL) or re.search(
            r"<title[^>]*>(.*?)</title>", inside, re.DOTALL
        )
        parts.append(f'<text x="{x + wide / 2:g}" y="22" text-anchor="middle">{title[1] if title else ""}</text>')
        parts.append(f'<g class="{kind}"><g transform="translate({x:g} {HEAD})">{inside}</g></g>')
        x, height = x + wide + GAP, max(height, high)
    return (
        f'<svg class="wpw-preview" xmlns="http://www.w3.org/2000/svg" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 {x - GAP:g} {height + HEAD + GAP:g}">'
        f"<style>{''.join(styles)}{COLOURS}</style>{''.join(parts)}</svg>\n"
    )


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
