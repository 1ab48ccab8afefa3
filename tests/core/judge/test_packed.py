"""Does evidence come out of a line of text as it went in, and is damage said?"""

import base64
import zlib

import pytest

from core.judge.packed import LONGEST_PACKED, pack, unpacked
from core.protocol import LARGEST_EVIDENCE_BYTES
from core.serialization import Damaged


def line(evidence: bytes) -> str:
    return base64.b64encode(zlib.compress(evidence, 9)).decode()


@pytest.mark.parametrize(
    "evidence", ["", '{"answer": "ü"}', "x" * LARGEST_EVIDENCE_BYTES], ids=["none", "some", "most"]
)
def test_it_comes_out_as_it_went_in(evidence):
    assert unpacked(pack(evidence)) == evidence.encode()


@pytest.mark.parametrize(
    "letters, said",
    [
        ("", "whole evidence"),
        ("{}", "other letters"),
        ("ä" * 4, "other letters"),
        ("AAAA", "other letters"),
        (pack("whole" * 9)[:-8], "whole evidence"),
        (pack("whole") + "\n", "other letters"),
        (base64.b64encode(zlib.compress(b"whole") + b"more").decode(), "something behind it"),
        ("A" * (LONGEST_PACKED + 1), "letters at most"),
        (line(b"0" * (LARGEST_EVIDENCE_BYTES + 1)), "12 MiB"),
        (line(b"0" * (100 << 20)), "12 MiB"),
    ],
    ids=lambda words: words[:20],
)
def test_damage_is_said(letters, said):
    with pytest.raises(Damaged, match=said):
        unpacked(letters)
