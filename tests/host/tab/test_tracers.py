"""Does the tab's guest find what its tracers need, and is that made anew when what it is made of has changed?"""

import json
from pathlib import Path

import pytest

from host.tab import btf, layer, tracers
from host.tab.root import Root
from labs.trace import btf as reader
from labs.trace import objects

RELEASE = "6.1.0-50-686"
PACKAGE = f"linux-image-{RELEASE}\n6.1.176-1\nlinux-signed-i386\n6.1.176+1\nlinux (= 6.1.176-1)\n\n"


@pytest.fixture
def base(tmp_path):
    (tmp_path / "packages").write_text(f"base-files\n12\nbase-files\n12\n\n\n{PACKAGE}")
    (tmp_path / "release").write_text(f"{RELEASE}\n")
    return Root(tmp_path)


def test_they_lie_where_labs_look_for_them(base, tmp_path, monkeypatch):
    assert Path("/", layer.OBJECTS) == objects.BROUGHT and reader.PLACES[1].parent == objects.BROUGHT
    asked = []
    (tmp_path / "stall.bpf-1.o").touch()
    monkeypatch.setattr(tracers, "btf", lambda *kernel: asked.append(kernel) or tmp_path / f"{RELEASE}.btf")
    monkeypatch.setattr(tracers, "objects", lambda: tmp_path)
    assert [file.name for file in tracers.files(base)] == [f"{RELEASE}.btf", "stall.bpf-1.o"]
    assert asked == [(f"linux-image-{RELEASE}", "6.1.176-1")]


def test_the_objects_are_made_of_the_programs_and_of_what_all_have_in_common():
    made_of = set(tracers.made_of())
    assert {"labs/trace/event.h", "labs/trace/object.h", "labs/cases/frag_needed/stall.bpf.c"} <= made_of
    assert not any("/solutions/" in name or "/wrong/" in name for name in made_of)


@pytest.mark.parametrize("changed", ["packages", "fields"])
def test_type_information_is_made_anew_for_another_kernel_and_for_other_fields(changed, tmp_path, monkeypatch):
    keys = []
    monkeypatch.setattr(btf.store, "build_once", lambda kind, key, make, needs_mib: keys.append(key) or tmp_path)
    btf.btf(f"linux-image-{RELEASE}", "6.1.176-1")
    if changed == "fields":
        monkeypatch.setattr(btf, "fields", lambda: ["FIELD(sock, sk_lock);"])
    btf.btf(f"linux-image-{RELEASE}", "6.1.177-1" if changed == "packages" else "6.1.176-1")
    assert len(set(keys)) == 2


def test_it_says_what_it_was_made_of(tmp_path, monkeypatch):
    def build_once(kind, key, make, needs_mib):
        make(tmp_path)
        return tmp_path

    monkeypatch.setattr(btf.store, "build_once", build_once)
    monkeypatch.setattr(btf.archive, "need", lambda *names: None)
    monkeypatch.setattr(btf, "_unpacked", lambda packages, folder: None)
    monkeypatch.setattr(btf, "encode", lambda source, headers, to: to.write_text(source))
    monkeypatch.setattr(btf, "_said", lambda *command: f"{command[0]} 1.0")
    file = btf.btf(f"linux-image-{RELEASE}", "6.1.176-1")
    assert file.name == f"{RELEASE}.btf" and "FIELD(tcp_sock, packets_out);" in file.read_text()
    assert json.loads((tmp_path / btf.MADE_OF).read_text()) == {
        "packages": {"linux-headers-6.1.0-50-686": "6.1.176-1", "linux-headers-6.1.0-50-common": "6.1.176-1"},
        "cc": "cc 1.0",
        "pahole": "pahole 1.0",
    }
