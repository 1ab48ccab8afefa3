"""How does evidence travel in a line of text? Its JSON, compressed by zlib, in base64: some 30 thousand letters
(frag-needed/1's first solution has 30,840). A reader hands such a line in, so whoever unpacks one holds it to its form
and to its length, before and after."""

import base64
import zlib

from core.protocol import LARGEST_EVIDENCE_BYTES
from core.serialization import Damaged

LONGEST_PACKED = 1 << 18  # letters; book/_static/live-hand.js keeps no more either


def pack(evidence: str) -> str:
    """The letters that stand for it. They may be too many to be unpacked: compare with LONGEST_PACKED."""
    return base64.b64encode(zlib.compress(evidence.encode(), 9)).decode()


def unpacked(letters: str) -> bytes:
    """The evidence in them, which may say anything. Raises Damaged if it is not whole, or too large."""
    if len(letters) > LONGEST_PACKED:
        raise Damaged(f"expected {LONGEST_PACKED} letters at most, found {len(letters)}")
    try:
        compressed, reading = base64.b64decode(letters, validate=True), zlib.decompressobj()
        found = reading.decompress(compressed, LARGEST_EVIDENCE_BYTES)
    except (ValueError, zlib.error) as error:
        raise Damaged(f"expected evidence in base64, found other letters ({error})") from error
    if reading.unconsumed_tail:  # a small line may stand for very much
        raise Damaged(f"expected {LARGEST_EVIDENCE_BYTES >> 20} MiB of evidence at most")
    if not reading.eof or reading.unused_data:
        raise Damaged("expected whole evidence, found a part of it, or something behind it")
    return found
