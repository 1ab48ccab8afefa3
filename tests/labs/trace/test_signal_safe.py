"""Is all undone before anybody hears of Ctrl-C, and is nothing of it forgotten?"""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from labs.trace import module
from labs.trace.signal_safe import ENDING, ShieldedExitStack


class Heard(BaseException):
    """Which signal came."""


@pytest.fixture(autouse=True)
def signals_are_heard():
    def hear(number, _frame):
        raise Heard(signal.Signals(number).name)

    before = {number: signal.signal(number, hear) for number in ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_in_the_middle_comes_at_the_end(number):
    done = []
    with pytest.raises(Heard, match=number.name):
        with ShieldedExitStack() as undone:
            undone.callback(done.append, "last")
            undone.callback(lambda: signal.raise_signal(number) or done.append("first"))
    assert done == ["first", "last"]
    with pytest.raises(Heard):  # and from then on as before
        signal.raise_signal(number)


@pytest.mark.parametrize("number", ENDING)
def test_so_it_does_where_another_thread_gets_it(number):
    """As in a notebook's kernel."""
    done, over = [], threading.Event()
    beside = threading.Thread(target=over.wait)
    beside.start()

    def leave():
        os.kill(os.getpid(), number)
        for _ in range(100):  # bytecodes, between which Python would hear of it
            time.sleep(0.001)
        done.append("first")

    try:
        with pytest.raises(Heard, match=number.name):
            with ShieldedExitStack() as undone:
                undone.callback(done.append, "last")
                undone.callback(leave)
    finally:
        over.set()
        beside.join()
    assert done == ["first", "last"]


def test_what_came_in_the_last_moment_before_is_heard_after(monkeypatch):
    done, getsignal = [], signal.getsignal

    def interrupted(number):
        monkeypatch.setattr(signal, "getsignal", getsignal)
        signal.raise_signal(signal.SIGINT)

    undone = ShieldedExitStack()
    undone.callback(done.append, "left")
    monkeypatch.setattr(signal, "getsignal", interrupted)
    with pytest.raises(Heard, match="SIGINT"):
        undone.close()
    assert done == ["left"]
    with pytest.raises(Heard):  # and from then on as before
        signal.raise_signal(signal.SIGTERM)


def test_of_several_the_most_final_is_heard():
    undone = ShieldedExitStack()
    undone.callback(lambda: [signal.raise_signal(number) for number in reversed(ENDING)])
    with pytest.raises(Heard, match="SIGTERM"):
        undone.close()


def test_closed_early_it_is_the_same_and_done_once():
    done, undone = [], ShieldedExitStack()
    undone.callback(lambda: signal.raise_signal(signal.SIGINT) or done.append("once"))
    with pytest.raises(Heard):
        undone.close()
    undone.close()
    assert done == ["once"]


def test_what_is_started_meanwhile_does_not_hear_of_it_either():
    said, look = [], [sys.executable, "-c", "import os; os.kill(os.getpid(), 2); print('deaf')"]
    with ShieldedExitStack() as undone:
        undone.callback(lambda: said.append(subprocess.run(look, capture_output=True, text=True).stdout))
    assert said == ["deaf\n"]
    assert subprocess.run(look, capture_output=True, text=True).stdout == ""


def test_what_is_entered_may_be_interrupted():
    with pytest.raises(Heard), ShieldedExitStack():
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("nobody has heard of it")


@pytest.fixture
def kernel(monkeypatch, tmp_path):
    """The names of the modules in a kernel that takes all, each as a livepatch."""
    held = set()

    def load(one):
        held.add(one.name)
        (tmp_path / one.name).mkdir()
        (tmp_path / one.name / "transition").write_text("0\n")

    monkeypatch.setattr(module, "LIVEPATCHES", tmp_path)
    monkeypatch.setattr(module, "_load", load)
    monkeypatch.setattr(module, "tidy", lambda: None)
    monkeypatch.setattr(module, "remove", held.discard)
    return held


ONE = module.Module("lab_one", None)


def test_a_livepatch_is_out_whatever_is_pressed_on_the_way(kernel, monkeypatch):
    monkeypatch.setattr(module, "remove", lambda name: signal.raise_signal(signal.SIGINT) or kernel.discard(name))
    with pytest.raises(Heard):
        with module.livepatched(ONE):
            assert kernel == {"lab_one"}
    assert not kernel and not module._ours


def test_a_livepatch_that_was_not_yet_all_in_is_out(kernel, monkeypatch):
    def interrupted(name):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(module, "_settled", interrupted)
    with pytest.raises(Heard):
        with module.livepatched(ONE):
            raise AssertionError("it is not in")
    assert not kernel and not module._ours


def test_a_livepatch_that_stays_is_left_to_who_tidies_next(kernel, monkeypatch):
    def refuses(name):
        raise module.DoesNotLoad("it is in use")

    monkeypatch.setattr(module, "remove", refuses)
    with pytest.raises(module.DoesNotLoad):
        with module.livepatched(ONE):
            pass
    assert kernel and not module._ours
