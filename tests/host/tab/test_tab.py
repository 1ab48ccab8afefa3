"""Is the tab's kernel made of what its recipe names, and said plainly when something lacks?"""

import io
import json
import subprocess
import tomllib

import pytest

from host.errors import LabError
from host.tab import node, packages, running, state
from host.tab.cpio import Entry, archive
from host.tab.initramfs import load_order
from host.tab.state import State

SEEN = {
    "a_ms": 4.1,
    "b_ms": 210.2,
    "b_again_ms": 2.2,
    "control": False,
    "measured": True,
    "kernel": "6.1.0-50-686",
    "exchanges": [
        {"name": name, "bytes": 1448, "at_ms": 0.1, "waited_ms": waited}
        for name, waited in (("A", 4.1), ("B", 210.2), ("B-again", 2.2))
    ],
    "counters": {"IpFragFails": 1},
    "stacks": [{"function": "__icmp_send", "process": "exchange", "at_ms": 5.0, "frames": ["ip_fragment.constprop.0"]}],
}


def test_every_package_program_and_module_has_its_reason():
    recipe = packages.recipe()
    for table in ("packages", "texts", "licences", "programs", "modules"):
        assert all(reason.strip() for reason in recipe[table].values())
    assert set(recipe["programs"].values()) <= set(recipe["packages"])
    assert recipe["suite"] == tomllib.loads((node.VM_IMAGE / "packages.toml").read_text())["suite"]


def test_the_emulator_is_locked_by_hash_and_names_no_host():
    lock = json.loads((node.TAB / "package-lock.json").read_text())["packages"]
    named = json.loads((node.TAB / "package.json").read_text())["dependencies"]
    assert {f"node_modules/{name}": version for name, version in named.items()} == {
        path: entry["version"] for path, entry in lock.items() if path
    }
    assert all(
        entry["integrity"].startswith("sha512-") and "resolved" not in entry for path, entry in lock.items() if path
    )
    assert "--hash=sha256:" in node.REQUIREMENTS.read_text()


def test_modules_are_loaded_behind_what_they_need():
    needs = {"ip_vs_rr": ["ip_vs"], "ip_vs": ["nf_conntrack", "libcrc32c"], "nf_conntrack": ["libcrc32c"]}
    order = load_order(["veth", "ip_vs_rr"], lambda name: needs.get(name, []))
    assert order == ["veth", "libcrc32c", "nf_conntrack", "ip_vs", "ip_vs_rr"]


def test_an_initramfs_names_a_folder_once_and_before_its_files():
    packed = archive([Entry.folder("bin"), Entry.file("bin/sh", b"#!", 0o755), Entry.link("lib/a.so", "b.so")])
    assert [name for name, *_ in read(packed)] == ["bin", "bin/sh", "lib", "lib/a.so"]
    assert read(packed)[1] == ("bin/sh", 0o100755, b"#!") and read(packed)[3] == ("lib/a.so", 0o120777, b"b.so")


def read(packed: bytes) -> list[tuple[str, int, bytes]]:
    """A cpio archive of the "newc" form as (name, mode, contents)."""
    found, stream = [], io.BytesIO(packed)
    while True:
        head = stream.read(110)
        mode, size, name_size = (int(head[at : at + 8], 16) for at in (14, 54, 94))
        name = stream.read(name_size)[:-1].decode()
        stream.seek(-stream.tell() % 4, 1)
        data = stream.read(size)
        stream.seek(-stream.tell() % 4, 1)
        if name == "TRAILER!!!":
            return found
        found.append((name, mode, data))


@pytest.fixture
def answers(monkeypatch):
    """Node's place is taken by a function that answers with what is put into the list."""
    said = []
    monkeypatch.setattr(node, "node", lambda: "node")
    monkeypatch.setattr(subprocess, "run", lambda *words, **more: subprocess.CompletedProcess(words, 0, *said))
    return said


def test_an_error_of_node_is_one_sentence_with_the_next_command(answers, tmp_path):
    answers[:] = ['{"error": "v86.wasm is not the one"}', ""]
    with pytest.raises(LabError) as error:
        state.call("run", tmp_path)
    assert error.value.message == "tab: v86.wasm is not the one" and error.value.next.endswith("./lab tab")


def test_words_that_are_no_json_are_shown(answers, tmp_path):
    answers[:] = ["", "node: out of memory"]
    with pytest.raises(LabError, match="out of memory"):
        state.call("run", tmp_path)


def test_a_run_is_told_in_few_lines(monkeypatch, tmp_path):
    monkeypatch.setattr(running, "call", lambda *words: SEEN)
    (tmp_path / "state.json").write_text('{"release": "6.1.0-50-686"}')
    said = running.text(running.run(State(tmp_path), False, True))
    assert "210.2" in said and "ip_fragment.constprop.0" in said and "kept time" in said
    assert max(map(len, said.splitlines())) <= 80


def test_what_was_not_measured_says_why():
    said = running.text({**SEEN, "measured": False, "reason": "the guest's heart beat 90 ms late"})
    assert "not measured: the guest's heart beat 90 ms late" in said


def test_with_route_and_trace_are_of_a_run():
    from click.testing import CliRunner

    from host.cli import main

    answer = CliRunner().invoke(main, ["tab", "--with-route"])
    assert answer.exit_code == 2 and "./lab tab --run --with-route" in answer.output
