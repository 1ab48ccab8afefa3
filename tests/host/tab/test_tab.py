"""Is the tab's kernel made of what its recipe names, and said plainly when something lacks?"""

import hashlib
import json
import subprocess
import tomllib

import pytest

from host.errors import LabError
from host.tab import layer, node, pieces, root, running, state
from host.tab.state import State

SEEN = {
    "told": False,
    "a_ms": 4.1,
    "b_ms": 210.2,
    "b_again_ms": 2.2,
    "measured": True,
    "kernel": "6.1.0-50-686",
    "exchanges": [
        {"name": name, "sent_bytes": 1448, "at_s": 0.1, "waited_ms": waited}
        for name, waited in (("A", 4.1), ("B", 210.2), ("B again", 2.2))
    ],
    "counters": {"IpFragFails": 1},
}


def test_every_package_and_module_has_its_reason():
    ours = tomllib.loads((node.TAB / "packages.toml").read_text())
    for table in ("packages", "keep", "leave-out", "remove", "modules", "licences"):
        assert all(reason.strip() for reason in ours[table].values())


def test_what_the_tab_leaves_out_or_keeps_is_something_of_the_vms():
    whole = tomllib.loads((node.VM_IMAGE / "packages.toml").read_text())
    ours = tomllib.loads((node.TAB / "packages.toml").read_text())
    assert set(whole["tab-leaves-out"]) <= set(whole["packages"]) and set(ours["keep"]) <= set(whole["leave-out"])


def test_the_guest_is_the_vms_without_what_it_leaves_out():
    recipe = root.recipe()
    assert {"python3-scapy", "linux-image-686"} <= set(recipe["packages"]) and "clang" not in recipe["packages"]
    assert (
        "/usr/share/man/*" in recipe["leave-out"] and "/lib/modules/*/kernel/drivers/ata/*" not in recipe["leave-out"]
    )


SAID = """linux-image-6.1.0-50-686
6.1.176-1
linux-signed-i386
6.1.176+1
linux (= 6.1.176-1), other (= 2)

libnl-3-200
3.7.0-0.2+b1
libnl3
3.7.0-0.2


zlib1g
1:1.2.13
zlib
1:1.2.13


"""


def test_packages_are_read_with_their_sources(tmp_path):
    (tmp_path / "packages").write_text(SAID)
    found = root.Root(tmp_path).packages
    assert list(found) == ["linux-image-6.1.0-50-686", "libnl-3-200", "zlib1g"]
    assert found["linux-image-6.1.0-50-686"]["built_using"] == {"linux": "6.1.176-1", "other": "2"}
    assert found["libnl-3-200"]["source"] == "libnl3" and found["libnl-3-200"]["built_using"] == {}


def test_a_disk_is_cut_into_pieces_that_are_named_by_what_they_hold(tmp_path):
    disk = bytes(pieces.PIECE_BYTES) * 2 + b"the end"
    (tmp_path / "disk").write_bytes(disk)
    found = pieces.cut(tmp_path / "disk", tmp_path)
    whole = b"".join((tmp_path / name).read_bytes() for name in found["pieces"])
    assert whole.startswith(disk) and len(whole) == found["bytes"] and found["bytes"] % 512 == 0
    first, second, last = found["pieces"]
    assert first == second != last and last == hashlib.sha256((tmp_path / last).read_bytes()).hexdigest()


def test_above_the_root_lies_the_lab_without_its_answers():
    laid = dict(layer.files())
    assert {"root/lab/core/cases.py", "root/lab/labs/__main__.py", "usr/local/lib/lab/serial_server.py"} <= set(laid)
    assert not [path for path in laid if "/solutions/" in path or "/wrong/" in path or "tests/" in path]
    assert json.loads(laid["usr/local/lib/lab/held.json"]) == layer.HELD["state.zst"]


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
    said = running.for_terminal(running.run(State(tmp_path), False, False))
    assert "210.2" in said and "IpFragFails" in said and "kept time" in said
    assert max(map(len, said.splitlines())) <= 80


def test_what_was_not_measured_says_why():
    said = running.for_terminal({**SEEN, "measured": False, "reason": "the guest's heart beat 90 ms late"})
    assert "not measured: the guest's heart beat 90 ms late" in said


def test_with_route_and_trace_are_of_a_run():
    from click.testing import CliRunner

    from host.cli import main

    answer = CliRunner().invoke(main, ["tab", "--with-route"])
    assert answer.exit_code == 2 and "./lab tab --run --with-route" in answer.output
