"""What picture stands for a case outside the site? Its first figures side by side, as one SVG file
that follows the viewer's light or dark setting."""

import re

GAP = 24  # around figures, in their own units
HEAD = 36


def side_by_side(figures: list[str]) -> str:
    """One SVG of several figures in HTML, each of which holds one <svg> and its <style>."""
    parts, style, x, height = [], "", 0, 0
    for html in figures:
        # An <svg> within another takes the page's size rules; a <g> has none.
        style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1].replace(".wpw-ladder svg", ".wpw-ladder g")
        wide, high = map(int, re.search(r'<svg viewBox="0 0 (\d+) (\d+)"', html).groups())
        inside = re.search(r"<svg[^>]*>(.*)</svg>", html, re.DOTALL)[1]
        title = re.search(r"<title[^>]*>(.*?)</title>", inside, re.DOTALL)[1]
        parts.append(f'<text x="{x + wide / 2}" y="22" text-anchor="middle">{title}</text>')
        parts.append(f'<g transform="translate({x} {HEAD})">{inside}</g>')
        x, height = x + wide + GAP, max(height, high)
    colours = (
        "svg.wpw-ladder{color:#1f2328}@media(prefers-color-scheme:dark){svg.wpw-ladder{color:#e6edf3}}"
        ".wpw-ladder>text{font:600 17px system-ui,sans-serif;fill:currentColor}"
    )
    return (
        f'<svg class="wpw-ladder" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {x - GAP} {height + HEAD + GAP}">'
        f"<style>{style}{colours}</style>{''.join(parts)}</svg>\n"
    )
