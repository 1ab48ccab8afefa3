"""What picture stands for a case outside the site? Its first figures side by side, as one SVG file
that follows the viewer's light or dark setting."""

import re

GAP = 24  # between two figures, in the figures' own units


def side_by_side(figures: list[str]) -> str:
    """One SVG of several figures in HTML, each of which holds one <svg> and its <style>."""
    parts, style, x, height = [], "", 0, 0
    for html in figures:
        style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
        svg = re.search(r"<svg.*</svg>", html, re.DOTALL)[0]
        title = re.search(r"<title[^>]*>(.*?)</title>", svg, re.DOTALL)[1]
        wide, high = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
        parts.append(f'<text x="{x + wide / 2}" y="22" text-anchor="middle">{title}</text>')
        # The page's style makes a figure as wide as its column; here it has its own size.
        size = f'x="{x}" y="36" style="width:{wide}px;height:{high}px;max-width:none;min-width:0"'
        parts.append(svg.replace("<svg ", f"<svg {size} ", 1))
        x, height = x + wide + GAP, max(height, high)
    colours = (
        "svg.wpw-ladder{color:#1f2328}@media(prefers-color-scheme:dark){svg.wpw-ladder{color:#e6edf3}}"
        ".wpw-ladder>text{font:600 17px system-ui,sans-serif;fill:currentColor}"
    )
    return (
        f'<svg class="wpw-ladder" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {x - GAP} {height + 36}">'
        f"<style>{style}{colours}</style>{''.join(parts)}</svg>\n"
    )
