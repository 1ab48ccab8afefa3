"""How is a guest's text shown so that it cannot act on the terminal? Control characters are escaped: ESC becomes \\x1b.
Root in a guest may print anything: also sequences that move the cursor to earlier lines, rename the window, or make the
terminal send an answer as if the reader had typed it.
"""

import codecs
import re
from collections.abc import Iterable, Iterator

# Control characters (ECMA-48: C0, DEL, C1) except tab and line feed; characters that change the direction of text
# (Unicode's bidirectional controls, UAX #9), by which it can be shown in another order; line and paragraph separators;
# and surrogates, which cannot be encoded.
CONTROL_CHARS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escaped(text: str) -> str:
    """Escape the control characters of a text, as \\x1b or \\u202e; a line's end CR LF becomes LF."""
    return CONTROL_CHARS.sub(lambda found: _written(found[0]), text.replace("\r\n", "\n"))


def escaped_json(text: str) -> str:
    """Escape the control characters of JSON by JSON's own escapes (\\u001b), so that its content stays the same."""
    return CONTROL_CHARS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def escaped_pieces(pieces: Iterable[bytes]) -> Iterator[str]:
    """Escape the control characters of UTF-8 that comes in pieces; bytes that are not UTF-8 become U+FFFD."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    behind = ""  # a carriage return at the end of a piece: the next one may begin with the line feed that belongs to it
    for piece in pieces:
        text = behind + decoder.decode(piece)
        behind = "\r" if text.endswith("\r") else ""
        yield escaped(text.removesuffix("\r"))
    yield escaped(behind + decoder.decode(b"", final=True))


def _written(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
