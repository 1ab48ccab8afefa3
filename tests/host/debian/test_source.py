"""Is a source package unpacked as Debian patches it, with nothing left beside it?"""

import shutil
import subprocess

from host.debian import installed, source

CONTROL = "Source: small\nMaintainer: A <a@example.org>\n\nPackage: small\nArchitecture: all\nDescription: small\n"
CHANGELOG = "small (1-1) stable; urgency=low\n\n  * First.\n\n -- A <a@example.org>  Wed, 25 Nov 2026 00:00:00 +0000\n"
PATCH = "--- a/one.c\n+++ b/one.c\n@@ -1 +1 @@\n-as upstream\n+as Debian\n"


def test_a_source_is_as_debian_patches_it(tmp_path, monkeypatch):
    installed.need("dpkg-source")
    files, tree = tmp_path / "fetched/source", tmp_path / "fetched/source/small-1"
    (tree / "debian/source").mkdir(parents=True)
    (tree / "one.c").write_text("as upstream\n")
    subprocess.run(["tar", "-cJf", "small_1.orig.tar.xz", "--exclude=debian", "small-1"], cwd=files, check=True)
    for name, text in {
        "source/format": "3.0 (quilt)\n",
        "control": CONTROL,
        "changelog": CHANGELOG,
        "patches/series": "debian.patch  # a note\n",
        "patches/debian.patch": PATCH,
    }.items():
        (tree / "debian" / name).parent.mkdir(exist_ok=True)
        (tree / "debian" / name).write_text(text)
    subprocess.run(["dpkg-source", "-b", "small-1"], cwd=files, check=True, capture_output=True)
    shutil.rmtree(tree)
    monkeypatch.setattr(source, "fetched", lambda package: tmp_path / "fetched")
    (tmp_path / "into").mkdir()
    source.unpack("small", tmp_path / "into/tree")
    assert (tmp_path / "into/tree/one.c").read_text() == "as Debian\n"
    assert {path.name for path in tmp_path.glob("into/*")} == {"tree"}
    assert {path.name for path in tmp_path.glob("into/tree/*")} == {"one.c", "debian"}
    assert not (tmp_path / "into/tree/.pc").exists()
