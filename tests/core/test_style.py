"""Are the book's colours told apart with any colour vision, and do they stand out from their ground?"""

import itertools

import pytest

from core import style
from core.draw import flame_svg, ladder_svg, stacks_view, topology_svg

# How dichromats see a colour, in linear RGB (Vienot, Brettel and Mollon 1999; severity 1).
SEEN = {
    "any": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "deuteranopia": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
}
GROUNDS = ["any", "light", "dark", "print"]


def linear(colour: str) -> list[float]:
    """'#0072B2' in linear light (IEC 61966-2-1)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def lab(rgb: list[float]) -> tuple[float, float, float]:
    """Linear light as CIE L*a*b*, ground D65."""
    x, y, z = (
        sum(weight * max(part, 0) for weight, part in zip(row, rgb)) / white
        for row, white in (
            ((0.4124, 0.3576, 0.1805), 0.9505),
            ((0.2126, 0.7152, 0.0722), 1),
            ((0.0193, 0.1192, 0.9505), 1.089),
        )
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str, vision: str) -> float:
    """How far two colours look apart (CIE76; 2.3 is just noticed)."""
    seen = [
        lab([sum(weight * part for weight, part in zip(row, linear(colour))) for row in SEEN[vision]])
        for colour in (one, other)
    ]
    return sum((a - b) ** 2 for a, b in zip(*seen)) ** 0.5


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's ratio."""
    light = sorted(0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in map(linear, (one, other)))
    return (light[1] + 0.05) / (light[0] + 0.05)


@pytest.mark.parametrize("vision", SEEN)
@pytest.mark.parametrize("one, other", itertools.combinations([one["colour"] for one in style.SERIES], 2))
def test_series_look_apart(one, other, vision):
    assert distance(one, other, vision) > 10


@pytest.mark.parametrize("vision", SEEN)
@pytest.mark.parametrize("ground", GROUNDS)
def test_what_is_lost_does_not_look_like_what_is_said(ground, vision):
    assert distance(style.VALUES[ground]["icmp"], style.VALUES[ground]["stall"], vision) > 25


@pytest.mark.parametrize("ground", GROUNDS)
def test_lines_stand_out_from_their_ground(ground):
    values = style.VALUES[ground]
    for meaning in {"icmp", "stall", "grey", "mark"} & set(values):
        for beneath in values["ground"]:
            assert contrast(values[meaning], beneath) >= 3, (meaning, beneath)
    if "mark" in values:
        assert contrast(values["mark"], values["mark-text"]) >= 4.5


def test_every_series_has_a_sign_beside_its_colour():
    for sign in ("marker", "hatch", "colour"):
        assert len({one[sign] for one in style.SERIES}) == len(style.SERIES)


@pytest.mark.parametrize("picture", [flame_svg, ladder_svg, stacks_view, topology_svg])
def test_pictures_name_no_colours_of_their_own(picture):
    sheet = picture.CSS
    for meaning in ("icmp", "stall"):
        sheet = sheet.replace(style.colour(meaning), "")
    assert "#" not in sheet and "$" not in sheet
