"""Does a module of ours build, get in and out, again and again, and leave the kernel as it was?"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.waiting import poll
from labs.cases.splice_push.regression import REGRESSION
from labs.trace import btf, module

TIMES = 100 if os.environ.get("LAB_TEST_ALL") else 10  # the kernel looks once a second: five minutes
PATIENCE_S = 10  # for what the kernel frees a moment later
PLAIN = """
#include <linux/module.h>
static int __init enter(void) { return 0; }
static void __exit leave(void) { }
module_init(enter);
module_exit(leave);
MODULE_LICENSE("GPL");
"""


@pytest.fixture(scope="module")
def patch():
    return module.build(REGRESSION)


def complaints():
    """Lines of the kernel's log that a healthy kernel does not write."""
    log = subprocess.run(["dmesg", "--notime"], capture_output=True, text=True, check=True).stdout
    return [line for line in log.splitlines() if "BUG" in line or "WARNING" in line or "Oops" in line]


def memory_of_modules():
    """Where the kernel's modules lie in its memory: module_alloc() (arch/x86/kernel/module.c) is vmalloc's, which says
    who has asked for each piece. An "unpurged" one is free, and only its addresses are not yet."""
    lines = [line for line in Path("/proc/vmallocinfo").read_text().splitlines() if " load_module+" in line]
    assert lines, "no module's memory is there, so none could be seen to leak"
    return {line.split()[0] for line in lines if "unpurged" not in line}


def test_the_descriptor_has_the_kernels_layout(patch):
    sections = subprocess.run(["size", "-A", str(patch.file)], capture_output=True, text=True).stdout
    found = next(line.split()[1] for line in sections.splitlines() if "this_module" in line)
    assert int(found) == btf.size("module")
    own = subprocess.run(["modinfo", "-F", "vermagic", str(patch.file)], capture_output=True, text=True).stdout
    assert own.split()[0] == os.uname().release


def test_a_module_is_built_once(patch):
    again = module.build(REGRESSION)
    assert again.file == patch.file and again.built_s == 0


def test_the_kernels_headers_are_precompiled():
    asked = [*module.COMPILER, "-include", module.HEADERS, "-H", "-fsyntax-only", "-x", "c", "-"]
    read = subprocess.run(asked, input=PLAIN, capture_output=True, text=True, check=True).stderr.splitlines()
    assert read[0] == f"! {module.HEADERS}.gch"  # an x instead of the ! would be one that does not fit


def test_again_and_again_in_and_out(patch):
    with module.livepatched(patch):
        pass
    before, held = complaints(), memory_of_modules()
    for _ in range(TIMES):
        with module.livepatched(patch):
            assert module.loaded() == [patch.name] and memory_of_modules() - held
        assert module.loaded() == [] and not list(module.LIVEPATCHES.iterdir())
    assert complaints() == before
    # The kernel frees some of it later, from a work queue (do_free_init()), also what was counted in `held`.
    assert poll(lambda: not memory_of_modules() - held, PATIENCE_S), memory_of_modules() - held
    out, into = os.pipe()
    os.write(into, b"?" * 5000)
    assert os.read(out, 5000) == b"?" * 5000


def test_what_an_interrupted_run_left_is_taken_out(patch):
    leave = (
        "import time; from pathlib import Path; from labs.trace import module\n"
        f"module._load(module.Module({patch.name!r}, Path({str(patch.file)!r})))\n"
        "print('in', flush=True); time.sleep(1000)"
    )
    process = subprocess.Popen([sys.executable, "-c", leave], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "in\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert module.loaded() == [patch.name]
    module.tidy()
    assert module.loaded() == []
    with module.livepatched(patch):
        module.tidy()  # leaves alone what this process has loaded
        assert module.loaded() == [patch.name]
    assert module.loaded() == []


def test_the_compilers_words_and_the_kernels_are_passed_on():
    with pytest.raises(module.DoesNotCompile, match="lab_bad.c:3:.*error"):
        module.build(PLAIN.replace("return 0;", "return nothing;"), "bad")
    with pytest.raises(module.DoesNotCompile, match="exports no kallsyms_lookup_name"):
        module.build(
            PLAIN.replace("return 0;", 'return kallsyms_lookup_name("x") == 0;').replace(
                "static int", "unsigned long kallsyms_lookup_name(const char *);\nstatic int", 1
            ),
            "unexported",
        )
    source = REGRESSION.read_text().replace('"pipe_to_sendpage"', '"no_such_function"')
    with pytest.raises(module.DoesNotLoad, match="no_such_function.*not found"):
        with module.livepatched(module.build(source, "nowhere")):
            pass
    assert module.loaded() == []
