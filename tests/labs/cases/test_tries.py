"""How often is a reader's server asked for an object? What waits once may be the machine's doing; what waits each time
is the server's, and no more than TRIES times are needed to say so."""

import importlib
from types import SimpleNamespace

import pytest

AT_ONCE_MS, LATE_MS, CONTROL_MS = 20.0, 800.0, 10.0
SIZE = 10
PORT = 20_101
SERVER = f"[10.0.2.3:8010->10.0.2.2:{PORT}]"
SLEPT = "9 clock_nanosleep(CLOCK_MONOTONIC, 0, {tv_sec=0, tv_nsec=41000000}, NULL) = 0 <0.041200>"


def strace(*between: str) -> str:
    """strace's lines of one object that server.py sends."""
    begins = [f'9 recvfrom(4<TCP:{SERVER}>, ""..., 65536, 0, NULL, NULL) = 40 <0.000020>']
    begins += ["9 lseek(6</memfd:object>(deleted), 0, SEEK_SET) = 0 <0.000012>"]
    return "\n".join([*begins, *between, "9 close(6</memfd:object>(deleted)) = 0 <0.000010>", ""])


@pytest.fixture
def measure(guests_packages):
    return importlib.import_module("labs.cases.splice_push.delivery.measure")


@pytest.fixture
def one_connection(measure, monkeypatch, tmp_path):
    """What is kept of an object that came so: (ms it took, what strace says of it meanwhile) at each try; and how often
    it was asked for."""

    def kept(*tries):
        trace, left = tmp_path / "strace", list(tries)
        trace.write_text("9 earlier() = 0 <0.000010>\n")

        def asked_again(*_):
            took_ms, lines = left.pop(0)
            with trace.open("a") as file:
                file.write(strace(*lines))
            return [measure.Asked(SIZE, "again", PORT, 0, b"x" * SIZE, took_ms, CONTROL_MS)]

        monkeypatch.setattr(measure, "asked_again", asked_again)
        again = measure.in_tries(lambda: measure.again(None, None, None, trace), measure.any_waited, measure.TRIES)
        (found,) = measure.asked_in_tries(again)
        return found, len(tries) - len(left)

    return kept


def test_what_comes_at_once_is_asked_for_once(one_connection):
    found, asked = one_connection((AT_ONCE_MS, []))
    assert (asked, found.tried_ms) == (1, [])


def test_what_is_late_is_asked_for_again_until_it_is_not(one_connection):
    found, asked = one_connection((LATE_MS, []), (AT_ONCE_MS, []), (LATE_MS, []))
    assert (asked, found.took_ms, found.tried_ms) == (2, AT_ONCE_MS, [LATE_MS])


def test_after_a_sleep_too_and_the_lines_are_of_the_try_alone(one_connection):
    found, asked = one_connection((AT_ONCE_MS, [SLEPT]), (AT_ONCE_MS, []))
    assert (asked, found.slept_ms, found.tried_slept_ms) == (2, 0, [pytest.approx(41.2)])


def test_what_waits_each_time_is_asked_for_so_often_and_no_more(one_connection, measure):
    tries = [(LATE_MS, [SLEPT])] * (measure.TRIES + 1)
    found, asked = one_connection(*tries)
    assert asked == measure.TRIES and found.tried_ms == [LATE_MS] * (asked - 1)
    assert found.slept_ms == pytest.approx(41.2)


@pytest.fixture
def each_alone(measure):
    """each_alone(took): by size, (what its tries took, how long the last was waited for), where took(size, number) says
    that of each try in ms, None for one that never comes."""

    def tried(took, held_up_ms=0.0):
        asked, patience = dict.fromkeys(measure.SIZES, 0), {}

        def ask(size, patience_s):
            asked[size] += 1
            patience[size], took_ms = patience_s, took(size, asked[size])
            body = b"x" * size if took_ms else b""
            ended = SimpleNamespace(is_alive=lambda: False)
            way = SimpleNamespace(size=size)
            one = SimpleNamespace(thread=ended, body=body, way=way, took_ms=took_ms or 1300.0, held_up_ms=held_up_ms)
            return measure.Try(SimpleNamespace(took_ms=CONTROL_MS), one)

        found = {size: [each.one.took_ms for each in tries] for size, tries in zip(asked, measure.alone(ask))}
        return {size: (tries, patience[size]) for size, tries in found.items()}

    return tried


def test_each_has_the_time_that_it_takes_and_what_is_late_is_asked_for_again(each_alone, measure):
    late = measure.SIZES[3]
    found = each_alone(lambda size, number: LATE_MS if (size, number) == (late, 1) else AT_ONCE_MS)
    assert found[late] == ([LATE_MS, AT_ONCE_MS], None)
    assert all(found[size] == ([AT_ONCE_MS], None) for size in measure.SIZES if size != late)


def test_after_one_that_waits_each_time_the_others_are_tried_once(each_alone, measure):
    first, *others = each_alone(lambda size, number: LATE_MS).values()
    assert first[0] == [LATE_MS] * measure.TRIES and all(tries == [LATE_MS] for tries, _ in others)


def test_unless_the_machine_stood_still_each_time(each_alone, measure):
    found = each_alone(lambda size, number: LATE_MS, held_up_ms=100.0)
    assert all(tries == [LATE_MS] * measure.TRIES for tries, _ in found.values())


def test_after_one_that_is_lost_nobody_waits_long(each_alone, measure):
    found = each_alone(lambda size, number: None if size == measure.SIZES[1] else AT_ONCE_MS)
    patience_s = [patience for _, patience in found.values()]
    assert patience_s == [None, None] + [measure.PATIENCE_S] * (len(measure.SIZES) - 2)


def test_what_trickles_in_is_not_asked_for_again(each_alone):
    assert all(len(tries) == 1 for tries, _ in each_alone(lambda size, number: 20_000.0).values())
