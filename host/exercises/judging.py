"""Who judges an answer? `python -m labs check` in a throwaway guest, watched from here: an answer may
fail the guest's kernel, hang it, or end its QEMU, and that is a verdict too.

An answer is root in the guest of its judge, and may print a verdict of its own. The judge's carries what only the judge
was told: a nonce of this call, which it reads before there is an answer, and the hash of the answer that we sent.
"""

import hashlib
import itertools
import json
import math
import re
import secrets
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait

from core import cases
from core.judge.check import RAN_ON, Check, read_checks
from core.judge.verdict import of_one
from core.protocol import STEPS
from core.serialization import Damaged
from core.statuses import VERDICTS, Status
from core.waiting import poll
from host.exercises import answer_machine, evidence
from host.vm import guests, hotplug, machine, ssh
from host.vm.call import call_json
from host.vm.image import Kernel
from host.vm.machine import Guest, GuestDied, GuestSilent, last_words
from host.vm.profile import Profile, on

OUR_FAULT = 70  # fork_server.py's status for an exception that nobody caught
# What the kernel's console shows of a kernel that failed or hangs (kernel/panic.c, kernel/watchdog.c,
# arch/x86/kernel/traps.c, kernel/rcu/tree_stall.h). Its watchdogs go by the clock: nothing ran for 20 s or more.
WATCHDOGS = re.compile(r"detected stalls|self-detected stall|BUG: soft lockup|BUG: workqueue lockup")
KERNEL_FAILED = re.compile(rf"BUG: |Oops: |Kernel panic|general protection fault|{WATCHDOGS.pattern}")
TELLING = re.compile(rf"({KERNEL_FAILED.pattern}|RIP: 0010:)")
OF_A_VERDICT = ("exercise", "verdict", "reasons", "measured", "checks")  # what is taken of one that a guest prints
# By their ids what is expected by the checks that are made here, of a guest and of what it prints.
BY_THE_HOST = {
    "kernel-lives": "the guest's kernel to live until the verdict",
    "guest-lives": "the guest to live until the verdict",
    "judge-lives": "the judge to live until its verdict",
    "judges-own": "what the judge prints, and nobody else",
    "own-evidence": "evidence of this answer",
    "judged": "a verdict",
    RAN_ON: "a machine that runs on, and is fast enough for a verdict",
}
NOT_THE_JUDGES = "that is not the judge's: it lacks what only the judge was told"
CONSOLE_TAIL_BYTES = 1 << 20
UPTIME, LINE_BYTES = re.compile(r"\d+\.\d\d \d+\.\d\d\n", re.ASCII), 100  # of /proc/uptime
CONSOLE_GRACE_S = 5  # until the kernel has also said where it was
SLOW_S = hotplug.DEADLINE_S / 2  # where a guest, which wakes in a second, takes so long, another may miss its deadline
STOPPED_S = 2  # a fifth of a second took so long: this machine stood still, and the guest may have for longer
AT_WORK_S = 30  # before the deadline: longer than a judge sleeps at a time, which is for seven seconds at most
ANSWER_S = 20  # for a guest to say how long it was idle


def judge(
    exercise: cases.Exercise, answer: str, label: str, unconfined: bool = False, linux: Kernel | None = None
) -> dict:
    """{"exercise", "verdict", "reasons", "checks", …}; messages of a compiler call the answer `label`. `unconfined`:
    see answer_machine.py. "evidence" is in it if the guest has sent some: then it was judged here."""
    case = cases.case(exercise.id.partition("/")[0])
    named = on(case.profile, linux)
    with answer_machine.machine(exercise, named, answer, label, unconfined) as ours:
        try:
            return _timed(exercise, answer, ours)
        except GuestDied as death:
            if exercise.applies == "guest":
                raise
            began = time.monotonic()
            with guests.throwaway(ours.kept):  # raises, or makes the snapshot anew, if the fault is not the answer's
                return _not_started(exercise, death, time.monotonic() - began)


def _not_started(exercise: cases.Exercise, death: GuestDied, kept_s: float) -> dict:
    """The verdict where the answer's machine does not start and the one without it does, in so many seconds."""
    why = f"the machine that the answer makes does not start: {death.message}"
    if isinstance(death, GuestSilent) and kept_s > SLOW_S:
        return _broken(exercise, RAN_ON, f"{why}; without it, one took {kept_s:.0f} s", "COULD NOT TELL")
    return _broken(exercise, "guest-lives", why)


def _timed(exercise: cases.Exercise, answer: str, ours: Profile) -> dict:
    """The verdict, with "took_s": seconds by what they went to, in the order in which they did."""
    times = [time.monotonic()]
    with guests.throwaway(ours) as guest:
        times.append(time.monotonic())
        verdict = _verdict(exercise, answer, guest)
        times.append(time.monotonic())
    times.append(time.monotonic())
    wake, asked, down = (later - earlier for earlier, later in itertools.pairwise(times))
    judging, spent = verdict.pop("judging_s", 0.0), _spent(verdict)
    took = {"wake": wake, "start": asked - judging - sum(spent.values()), **spent, "judging": judging, "down": down}
    return verdict | {"took_s": {on: round(seconds, 2) for on, seconds in took.items()}}


def _spent(verdict: dict) -> dict[str, float]:
    """What the guest says that it spent its seconds on, as far as that is numbers by known names."""
    said = verdict.get("evidence", {}).get("spent_s")
    said = said if isinstance(said, dict) else {}
    return {on: said[on] for on in STEPS if isinstance(said.get(on), float) and 0 <= said[on] < math.inf}


def _verdict(exercise: cases.Exercise, answer: str, guest: Guest) -> dict:
    """What the judge in this guest says of the answer, or what kept it from saying anything."""
    words = ("labs", "check", exercise.id, "--json", "--sealed")
    seal = {"nonce": secrets.token_hex(16), "answer_sha256": hashlib.sha256(answer.encode()).hexdigest()}
    with ThreadPoolExecutor(1) as pool:
        judging = pool.submit(call_json, guest, *words, given=f"{seal['nonce']}\n{answer}")
        failed = None
        try:
            failed = _watch(guest, judging, exercise)
        except BaseException:
            guest.end()
            raise
        if failed:
            guest.end()  # and with it the connection over which it is being judged
            return failed
        result = judging.result()
    if result.status == ssh.CONNECTION_LOST:
        return _broken(
            exercise, "guest-lives", "the guest fell silent while the answer ran; its QEMU is still there and hangs"
        )
    found, sent = dict(result.found), isinstance(result.found.get("evidence"), dict)
    if sent or _is_verdict(found, exercise):
        what = "evidence" if sent else f"a {found['verdict']}"
        if found.pop("seal", None) != seal:
            return _broken(exercise, "judges-own", f"{what} was printed {NOT_THE_JUDGES}")
        if result.status != (Status.HOLDS if sent else VERDICTS[found["verdict"]]):
            return _broken(
                exercise,
                "judges-own",
                f"{what} was printed, and the judge ended with status {result.status}: somebody else had a hand in it",
            )
        if sent:
            return _weighed(found["evidence"], exercise, answer)
        if found["verdict"] == "PASS":
            return _broken(exercise, "judges-own", "a PASS was printed without what it rests on")
        return {name: found[name] for name in OF_A_VERDICT if name in found}
    said = "; ".join(result.said.splitlines()[-3:])
    if result.status == OUR_FAULT:
        why = f"the judge itself failed, which says nothing of the answer ({said})"
        return _broken(exercise, "judged", why, "COULD NOT TELL")
    if result.printed:
        why = result.why or f"expected a verdict, found no verdict on {exercise.id}"
        return _broken(exercise, "judged", why, "COULD NOT TELL")
    return _broken(exercise, "judge-lives", f"the judge was ended before its verdict ({said or 'no word'})")


def _weighed(sent: dict, exercise: cases.Exercise, answer: str) -> dict:
    """What evidence comes to, if it is of this very answer."""
    if (sent.get("exercise"), sent.get("answer")) != (exercise.id, answer):
        return _broken(exercise, "own-evidence", "the evidence is of another answer", "COULD NOT TELL")
    began = time.monotonic()
    verdict = evidence.weighed(json.dumps(sent).encode())
    return verdict | {"exercise": exercise.id, "evidence": sent, "judging_s": time.monotonic() - began}


def _is_verdict(found: dict, exercise: cases.Exercise) -> bool:
    """Whether an object has a verdict's form; an answer may print too."""
    reasons = found.get("reasons")
    try:
        read_checks(found.get("checks"))
    except Damaged:
        return False
    return (
        found.get("exercise") == exercise.id
        and found.get("verdict") in list(VERDICTS)
        and isinstance(reasons, list)
        and all(isinstance(reason, str) for reason in reasons)
    )


def _watch(guest: Guest, judging: Future, exercise: cases.Exercise) -> dict | None:
    """Waits for a verdict: None once there is one; else the one that is given instead, with why there will be none, in
    the console's words."""
    until = time.monotonic() + exercise.deadline_s
    before, stopped_s = None, 0.0
    while (left_s := until - time.monotonic()) > 0:
        if left_s < AT_WORK_S and before is None:
            before = _uptime(guest)
        began = time.monotonic()
        ended = bool(wait([judging], timeout=0.2).done)
        stopped_s = max(stopped_s, time.monotonic() - began)
        alive = guest.survived(judging.result().status) if ended else guest.alive()
        if KERNEL_FAILED.search(_console(guest)):
            return _failed(exercise, guest, stopped_s)
        if not alive:
            how = guest.death()
            # An answer that is a part of QEMU can do this to it.
            not_its_doing = exercise.applies == "guest" and guest.was_killed()
            verdict = "COULD NOT TELL" if not_its_doing else "FAIL"
            return _broken(exercise, "guest-lives", f"the guest died while the answer ran: {how}", verdict)
        if ended:
            return None
    return _overdue(exercise, guest, before)


def _failed(exercise: cases.Exercise, guest: Guest, stopped_s: float) -> dict:
    """The verdict where the kernel's console says that it failed, or stood still. The latter says nothing of the answer
    if this machine did, too."""
    poll(lambda: "RIP: " in _console(guest), CONSOLE_GRACE_S, 0.1)
    lines = [line for line in _console(guest).splitlines() if TELLING.search(line)]
    words = "; ".join(re.sub(r"^\[ *[\d.]+\] ", "", line)[:200] for line in lines[:4])
    if stopped_s > STOPPED_S and all(map(WATCHDOGS.search, filter(KERNEL_FAILED.search, lines))):
        still = f"the guest's kernel stood still, and so did this machine, for {stopped_s:.0f} s"
        return _broken(exercise, RAN_ON, f"{still}; its console: {words}", "COULD NOT TELL")
    why = f"the guest's kernel failed while the answer ran, and is thrown away; its console: {words}"
    return _broken(exercise, "kernel-lives", why)


def _overdue(exercise: cases.Exercise, guest: Guest, before: tuple[float, ...] | None) -> dict:
    """The verdict where there is none at the deadline, and what _uptime() was AT_WORK_S `before`. A guest that computes
    is slow; one that is idle, or silent, is broken."""
    why = f"the guest's kernel gave no verdict in {exercise.deadline_s} s"
    if before and (now := _uptime(guest)):
        up_s, idle_s = (later - earlier for earlier, later in zip(before, now))
        if idle_s < up_s / 2:
            why += f", and computes: it was idle for {idle_s:.0f} of the last {up_s:.0f} s"
            return _broken(exercise, RAN_ON, why, "COULD NOT TELL")
    return _broken(exercise, "kernel-lives", f"{why}; its console ends:\n{last_words(guest)}")


def _uptime(guest: Guest) -> tuple[float, ...]:
    """For how many seconds the guest is up and how many it was idle, as it says itself; nothing if it does not answer.
    What an answer may have it say there keeps its verdict from being a FAIL, and makes it no PASS."""
    said = guest.connection.said(["cat", "/proc/uptime"], LINE_BYTES, ANSWER_S).decode(errors="replace")
    return tuple(map(float, said.split())) if UPTIME.fullmatch(said) else ()


def _console(guest: Guest) -> str:
    """The end of the guest's console, which is read five times a second."""
    return machine.end_of(guest.console, CONSOLE_TAIL_BYTES)


def _broken(exercise: cases.Exercise, id: str, why: str, verdict: str = "FAIL") -> dict:
    """A verdict by one of BY_THE_HOST alone."""
    return of_one(exercise.id, verdict, Check(id, False if verdict == "FAIL" else None, BY_THE_HOST[id], why))
