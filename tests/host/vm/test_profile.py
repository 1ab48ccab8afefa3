"""Does a profile become the command line that it describes, and can an answer to an exercise put
nothing on it but a card from the list?"""

import re
import shutil
from pathlib import Path

import pytest

from host.vm import cards, image, profile, qemu
from host.vm.cards import NoCard
from host.vm.image import Image

NAMES = profile.names()
CARDS = profile.profile("rtl8139").cards
CARD = '[[cards]]\nname = "server"\n'


@pytest.fixture(autouse=True)
def nothing_is_built(monkeypatch):
    monkeypatch.setattr(qemu, "built", lambda name: qemu.Built(Path("/cache") / name))


def command(name: str) -> list[str]:
    ours = profile.profile(name)
    return ours.command(Image(Path("/a,b")), "tcg", Path("/ram"), shared=False, port=1)


def kernel_arguments(name: str) -> list[str]:
    return values(profile.profile(name).kernel(Path("/vmlinux"), Path("/initramfs")), "-append")[0].split()


def values(words: list[str], option: str) -> list[str]:
    return [words[n + 1] for n, word in enumerate(words) if word == option]


@pytest.mark.parametrize("name", NAMES)
def test_no_guest_reaches_a_network_or_a_file_of_ours(name):
    words = command(name)
    for netdev in values(words, "-netdev"):
        assert netdev.startswith(("hubport,", "user,id=net0,restrict=on,hostfwd=tcp:127.0.0.1:"))
    assert "readonly=on" in values(words, "-drive")[0] and len(values(words, "-drive")) == 1


@pytest.mark.parametrize("name", NAMES)
def test_each_qemu_gives_up_the_system_calls_that_start_programs(name):
    (given_up,) = values(command(name), "-sandbox")
    assert {"on", "spawn=deny", "elevateprivileges=deny"} <= set(given_up.split(","))


def test_no_emulated_processor_copies_as_if_it_had_erms():
    """Linux 6.1 takes FSRM for ERMS and more: with FSRM alone, as QEMU 10 has it, it hangs at boot."""
    features = values(command("stock"), "-cpu")[0].split(",")
    assert ("-erms" in features) == ("-fsrm" in features)


def test_the_stock_one_runs_on_debians_qemu_and_has_one_card():
    words = command("stock")
    assert words[0] == shutil.which("qemu-system-x86_64") and "-L" not in words
    assert len(values(words, "-netdev")) == 1
    assert not [word for word in kernel_arguments("stock") if word.startswith("lab.card")]


def test_cards_of_one_wire_share_a_hub_and_no_others_do():
    words = command("rtl8139")
    hubs = {}
    for netdev in values(words, "-netdev")[1:]:
        port, hub = re.fullmatch(r"hubport,id=wire-([a-z-]+),hubid=(\d)", netdev).groups()
        hubs.setdefault(hub, set()).add(port)
    assert sorted(map(sorted, hubs.values())) == [
        ["beside", "router-beside"],
        ["mended", "router-mended"],
        ["router-server", "server"],
    ]


def test_the_guest_is_told_which_card_is_which():
    words = command("rtl8139")
    told = dict(re.findall(r"lab\.card\.(\S+)=(\S+)", " ".join(kernel_arguments("rtl8139"))))
    devices = [device for device in values(words, "-device") if "netdev=wire-" in device]
    assert len(devices) == len(told) == 6
    for device in devices:
        name = re.search(r"id=([a-z-]+)", device)[1]
        assert f"mac={told[name]}" in device
    assert len(set(told.values())) == 6


def test_its_qemu_is_the_one_built_for_it_and_finds_its_firmware():
    words = command("rtl8139")
    assert words[0] == "/cache/rtl8139/build/qemu-system-x86_64"
    assert values(words, "-L") == list(qemu.FIRMWARE)
    assert [d for d in values(words, "-device") if "tso-mtu=1500" in d][0].startswith("driver=rtl8139,id=server,")


def test_another_program_goes_on_from_the_same_snapshot():
    from dataclasses import replace

    ours = profile.profile("rtl8139")
    theirs = replace(ours, binary="/tmp/answer/qemu-system-x86_64")
    assert theirs.qemu == "/tmp/answer/qemu-system-x86_64" and theirs.kept == ours


def test_each_kernel_has_a_machine_of_its_own_name_and_the_same_hardware():
    for linux in image.kernels():
        for name in NAMES:
            ours = profile.profile(profile.on(name, linux))
            assert ours.linux == linux and command(ours.name) == command(name)
    assert profile.names(image.kernel("6.12")) == ["stock-6.12", "rtl8139-6.12"]


def test_an_unknown_profile_names_the_known():
    with pytest.raises(profile.LabError, match="stock, rtl8139"):
        profile.profile("rtl8193")


def test_an_answer_chooses_a_device_and_nothing_else_changes():
    chosen = cards.chosen(CARDS, '[[cards]]\nname = "server"\ndevice = "virtio-net-pci"\n', ["server"])
    assert chosen == (cards.Card("server", "virtio-net-pci", CARDS[0].mac, CARDS[0].wire),)
    assert cards.chosen(CARDS, CARD + 'device = "rtl8139"\noptions = { tso-mtu = 1500 }', ["server"]) == ()


@pytest.mark.parametrize(
    "answer, says",
    [
        ("", "expected \\[\\[cards\\]\\]"),
        ("[[cards]", "no TOML"),
        ("x = " + "[" * 5000, "no TOML"),
        ("cards = 3", "expected \\[\\[cards\\]\\]"),
        ("cards = [3]", "has name, device"),
        (CARD, "has name, device"),
        (CARD + 'device = "virtio-net-pci"\nnetdev = "tap"', "has name, device"),
        (CARD + 'device = "virtio-net-pci"\nmac = "52:54:00:00:00:01"', "has name, device"),
        (CARD + 'device = "virtio-net-pci"\n[[drives]]\nfile = "/etc/shadow"', "nothing beside it"),
        ('qemu = "stock"\n' + CARD + 'device = "e1000"', "nothing beside it"),
        ('[[cards]]\nname = "router-server"\ndevice = "e1000"', "no card to change here; there are: server"),
        ('[[cards]]\nname = ["server"]\ndevice = "e1000"', "no card to change"),
        (CARD + 'device = "virtio-net-pci,romfile=/etc/shadow"', "there are: rtl8139, virtio-net-pci"),
        (CARD + 'device = "ivshmem-plain"', "no card to choose"),
        (CARD + "device = 3", "no card to choose"),
        (CARD + 'device = "e1000"\noptions = { romfile = "/etc/shadow" }', "e1000 has no option 'romfile'"),
        (CARD + 'device = "rtl8139"\noptions = { "tso-mtu=0,romfile" = 1 }', "has no option"),
        (CARD + 'device = "rtl8139"\noptions = { tso-mtu = "0,romfile=/etc/shadow" }', "goes from 0 to 65535"),
        (CARD + 'device = "rtl8139"\noptions = { tso-mtu = 65536 }', "goes from 0 to 65535"),
        (CARD + 'device = "rtl8139"\noptions = { tso-mtu = -1 }', "goes from 0 to 65535"),
        (CARD + 'device = "rtl8139"\noptions = { tso-mtu = true }', "goes from 0 to 65535"),
        (CARD + 'device = "rtl8139"\noptions = 3', "options is no table"),
    ],
)
def test_whatever_else_an_answer_says_is_refused(answer, says):
    with pytest.raises(NoCard, match=says):
        cards.chosen(CARDS, answer, ["server"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "a,b"},
        {"name": "a b"},
        {"name": ""},
        {"wire": "a\n"},
        {"mac": "52:54:00:20:06:0g"},
        {"mac": "x"},
        {"device": "nvme"},
    ],
)
def test_a_profile_with_a_card_that_is_none_is_refused(wrong):
    good = {"name": "server", "device": "e1000", "mac": "52:54:00:20:06:01", "wire": "server"}
    cards.Card(**good)
    with pytest.raises(NoCard):
        cards.Card(**{**good, **wrong})
