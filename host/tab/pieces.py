"""How does a page fetch a disk while its guest reads it? In pieces, each a file that is named after its contents: any
plain file server and any cache can have them, whoever gets one can tell that it is the right one, and a disk that has
changed in one place has one new piece."""

import hashlib
from pathlib import Path

FOLDER = "pieces"
PIECE_BYTES = 256 << 10
SECTOR_BYTES = 512  # of which a disk has a whole number


def cut(disk: Path, folder: Path) -> dict:
    """Lay the disk's pieces into the folder, and say what disk.js has to know of it."""
    names = []
    with open(disk, "rb") as file:
        while piece := file.read(PIECE_BYTES):
            piece += bytes(-len(piece) % SECTOR_BYTES)
            names.append(hashlib.sha256(piece).hexdigest())
            (folder / names[-1]).write_bytes(piece)
    last_bytes = (folder / names[-1]).stat().st_size
    return {"bytes": (len(names) - 1) * PIECE_BYTES + last_bytes, "piece_bytes": PIECE_BYTES, "pieces": names}
