"""Does a QEMU of our own go on building where it was cut short, and does a reader's C in one of its
devices do no harm, whatever it is? What it should do is the exercise's own test."""

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core import cases
from host.debian import installed
from host.exercises import answer_machine, commands, device
from host.exercises.answer_machine import NoMachine
from host.vm import guests, image, qemu, snapshot
from host.vm.profile import names, profile
from tests.host.vm.test_profile import values
from tests.labs.judge.stored import failed
from tests.vm.conftest import wait_until

REPLACES, UNIT = "hw/net/rtl8139-tso.c.inc", "hw/net/rtl8139.c"
SMALL = "libio.fa"  # a part of QEMU that takes seconds to build
CONFIGURED_WAKES = 400  # to configure QEMU takes as long as some thirty guests to wake
DECLARED = "static int tso_payload_bytes(uint32_t descriptor, int mtu, int ip_header_bytes, int tcp_header_bytes)"
FIXED = f"{DECLARED}\n{{\n    return (descriptor >> 16) & 0x7ff;\n}}\n"
EXERCISE = dataclasses.replace(cases.exercise("frag-needed/1"), applies="device", replaces=REPLACES, unit=UNIT)


@pytest.fixture(scope="module")
def built():
    return qemu.built("rtl8139")


def ninjas(folder: Path) -> list[Path]:
    """Processes of ninja and of the compiler that stand in this build."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(process / "cwd")) == folder / "build":
                found.append(process)
        except OSError:
            pass
    return found


def compiled(build: Path) -> dict[Path, int]:
    """What ninja has written down as done, with the time of each file."""
    log = build / ".ninja_log"
    entries = [line.split("\t") for line in log.read_text().splitlines()] if log.exists() else []
    return {
        build / entry[3]: (build / entry[3]).stat().st_mtime_ns
        for entry in entries
        if len(entry) == 5 and entry[3].endswith(".o")
    }


def steps() -> list[str]:
    """What ninja said that it did last."""
    return [line for line in qemu.log_file().read_text().splitlines() if line.startswith("[")]


def test_what_it_is_built_with_does_not_depend_on_this_machine_s_c_plus_plus(built):
    """Where there was c++, QEMU was linked by that, and a machine without it that had got this build, from a bundle or
    a shared cache, could link no reader's C."""
    assert {Path(command["words"][0]).name for command in device._commands(built, UNIT)} == {"cc"}


@pytest.mark.parametrize("name", names())
def test_no_barrier_of_an_emulated_guest_is_left_out(name):
    """Without barriers a virtio device may miss a notification; then its queue stands still (host/vm/profile.py)."""
    words = profile(name).command(image.image(), "tcg", Path("/ram"), shared=False, port=1)
    alone = [word for option in ("-accel", "-cpu", "-smp") for word in (option, values(words, option)[0])]
    program = [*profile(name).program, "-nodefaults", "-display", "none", "-no-reboot", "-m", "256M", *alone]
    kernel = ["-kernel", str(image.image().vmlinuz), "-append", "panic=-1"]  # which ends, for it has no disk
    translated = subprocess.Popen([*program, *kernel, "-d", "op", "-D", "/dev/stdout"], stdout=subprocess.PIPE)
    try:
        assert any(b" atomic_" in line for line in translated.stdout)
    finally:
        translated.kill()
        translated.communicate()


@pytest.mark.part("machinery", why="builds a part of QEMU twice")
def test_a_build_that_is_killed_goes_on_where_it_was(built, tmp_path, monkeypatch):
    (tmp_path / "source").symlink_to(built.source)
    code = (
        f"from host.vm import qemu; from pathlib import Path; qemu.STOCK = {SMALL!r}; "
        f"qemu.build('rtl8139', Path({str(tmp_path)!r}))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    wait_until(lambda: len(compiled(tmp_path / "build")) > 4, CONFIGURED_WAKES)
    process.kill()
    process.wait()
    wait_until(lambda: not ninjas(tmp_path))
    assert not (tmp_path / "build" / SMALL).exists()
    before = compiled(tmp_path / "build")
    monkeypatch.setattr(qemu, "STOCK", SMALL)
    qemu.build("rtl8139", tmp_path)
    assert (tmp_path / "build" / SMALL).exists()
    again = before.items() - compiled(tmp_path / "build").items()
    assert len(before) > 4 and not again, "what was compiled is compiled again"


@pytest.fixture
def untouched(built):
    """After the test, the cached build is as it was before."""

    def look():
        return {p: p.stat().st_mtime_ns for p in built.build.rglob("*") if p.is_file()}

    before = look()
    yield
    assert look() == before


@pytest.mark.parametrize(
    "answer, says",
    [
        (FIXED.replace(";", ""), "my answer.c:3:"),
        *(
            pytest.param(*refused, marks=pytest.mark.part("machinery"))
            for refused in [
                (FIXED.replace("}", ""), "here_the_answer_ends"),
                (FIXED.replace("descriptor >>", "nosuch >>"), "my answer.c:3:"),
                ("// nothing", "is empty"),
                (FIXED.replace("tso_payload_bytes", "another"), "implicit declaration of function ‘tso_payload_bytes’"),
                (f"{DECLARED}\n{{\n}}\n", "my answer.c:3:"),
                ('#include "/dev/zero"\n' + FIXED, "out of memory"),
            ]
        ),
    ],
)
def test_what_does_not_compile_is_said_at_the_readers_line(untouched, answer, says):
    with pytest.raises(NoMachine) as refused, answer_machine.machine(EXERCISE, "rtl8139", answer, "my answer.c"):
        pass
    assert any(says in reason for reason in refused.value.reasons), refused.value.reasons


def test_an_answer_is_compiled_and_linked_beside_the_build(built, untouched, tmp_path):
    binary = device.rebuilt(built, REPLACES, UNIT, FIXED, 'a "quoted" name.c', tmp_path)
    assert subprocess.run([binary, "--version"], capture_output=True).returncode == 0


def test_it_is_in_a_copy_of_the_cache_too(built, tmp_path):
    """The compiler sees nothing of the folder in which that QEMU was built."""
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-a", built.folder, copy], check=True)
    (tmp_path / "device").mkdir()
    binary = device.rebuilt(qemu.Built(copy), REPLACES, UNIT, FIXED, "answer.c", tmp_path / "device")
    assert subprocess.run([binary, "--version"], capture_output=True).returncode == 0


def test_a_host_without_a_compiler_is_told_what_to_install(monkeypatch, tmp_path):
    for tool in ("sh", "tar", "git"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(answer_machine.Lacking, match="apt-get install .*gcc"):
        with answer_machine.machine(EXERCISE, "rtl8139", FIXED, "answer.c"):
            pass
    assert "gcc" in " ".join(installed.missing(installed.QEMU_BUILD))


def test_a_device_that_divides_by_zero_ends_its_own_qemu_alone(no_guest_left):
    """The card is asked for its segments as soon as anything large is sent through it."""
    send = (
        "modprobe 8139cp; for i in /sys/class/net/*; do case $(cat $i/address) in "
        "52:54:00:20:06:01) a=${i##*/};; 52:54:00:20:06:02) b=${i##*/};; esac; done; "
        "ip netns add far; ip link set $b netns far; ip netns exec far ip address add 10.9.0.1/24 dev $b; "
        "ip netns exec far ip link set $b up; ip address add 10.9.0.2/24 dev $a; ip link set $a up; "
        "ethtool -K $a sg on tx on tso on >/dev/null; ip netns exec far iperf3 -s -D -1; "
        "until iperf3 -c 10.9.0.1 -n 2M >/dev/null; do sleep 0.2; done; echo sent"
    )
    for answer, dies in ((FIXED.replace("(descriptor >> 16) & 0x7ff", "0"), True), (FIXED, False)):
        with answer_machine.machine(EXERCISE, "rtl8139", answer, "answer.c") as ours, guests.throwaway(ours) as guest:
            result = guest.connection.run(["bash", "-c", send], capture_output=True, text=True, timeout=300)
            if dies:
                wait_until(lambda: not guest.alive())
                assert "SIGFPE" in guest.death()
            else:
                assert result.stdout.endswith("sent\n"), result.stderr
    assert snapshot.machine_setup("rtl8139")[0] == profile("rtl8139")


# Runs as soon as QEMU does, before there is a guest.
READS_AND_WRITES = """
__attribute__((constructor)) static void attack(void)
{
    FILE *secret = fopen("%(secret)s", "r");
    FILE *harm = secret ? fopen("%(harm)s", "w") : NULL;

    if (harm) {
        fclose(harm);
    }
}
"""
INCLUDES_BYTES = 'asm(".incbin \\"%(secret)s\\"");\n'


@pytest.fixture
def secret(tmp_path):
    """A file of the reader's, and the path of one that is made by who has read it."""
    (tmp_path / "secret").write_text("of the home")
    return {"secret": tmp_path / "secret", "harm": tmp_path / "harm"}


def test_a_readers_c_runs_without_what_its_reader_can_do(no_guest_left, secret):
    """The attack works where its reader wants it unconfined, and nowhere else; the guest wakes in both."""
    answer = READS_AND_WRITES % secret + FIXED
    for unconfined in (True, False):
        with (
            answer_machine.machine(EXERCISE, "rtl8139", answer, "answer.c", unconfined) as ours,
            guests.throwaway(ours) as guest,
        ):
            said = guest.connection.run(["echo", "awake"], capture_output=True, text=True)
            assert said.stdout == "awake\n"
        assert secret["harm"].exists() == unconfined
        secret["harm"].unlink(missing_ok=True)


def test_a_compiler_reads_no_file_of_the_home(untouched, secret):
    answer = INCLUDES_BYTES % secret + FIXED
    with answer_machine.machine(EXERCISE, "rtl8139", answer, "answer.c", unconfined=True) as ours:
        assert b"of the home" in Path(ours.binary).read_bytes()
    with pytest.raises(NoMachine) as refused, answer_machine.machine(EXERCISE, "rtl8139", answer, "answer.c"):
        pass
    assert "secret" in refused.value.reasons[1]


OTHER_CARDS = [("virtio-net-pci", "0x1000"), ("pcnet", "0x2000"), ("ne2k_pci", "0x8029"), ("rtl8139", "0x8139")]


@pytest.mark.parametrize(
    "name, identity",
    [("e1000", "0x100e"), *(pytest.param(*card, marks=pytest.mark.part("machinery")) for card in OTHER_CARDS)],
)
def test_an_answer_of_the_other_kind_chooses_its_card(no_guest_left, name, identity):
    exercise = dataclasses.replace(EXERCISE, applies="profile", may_change=("server",))
    answer = f'[[cards]]\nname = "server"\ndevice = "{name}"\n'
    with answer_machine.machine(exercise, "rtl8139", answer, "answer.toml") as ours, guests.throwaway(ours) as guest:
        cards = "cd /sys/bus/pci/devices; for i in *; do grep -q 0x020000 $i/class && cat $i/device; done; true"
        found = guest.connection.run(["sh", "-c", cards], capture_output=True, text=True).stdout.split()
    others = ["0x1000"] * 5 + ["0x8139"]  # this host's, those of the router and of the server beside; mended's
    assert sorted(found) == sorted([*others, identity])


def test_a_wrong_word_in_such_an_answer_fails_with_the_known(tmp_path, monkeypatch):
    exercise = dataclasses.replace(EXERCISE, applies="profile", may_change=("server",))
    case = dataclasses.replace(cases.case("frag-needed"), profile="rtl8139")
    monkeypatch.setattr(cases, "exercise", lambda id, among=None: exercise)
    monkeypatch.setattr(cases, "case", lambda name: case)
    file = tmp_path / "answer.toml"
    file.write_text('[[cards]]\nname = "server"\ndevice = "tap"\n')
    verdict = commands.check(exercise.id, file)
    assert verdict["verdict"] == "FAIL" and failed(verdict) == ["card-to-choose"]
