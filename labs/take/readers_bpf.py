"""How does a reader's tracing program get into the kernel? By bcc, which compiles it: it is written in bcc's words, and
may use all of them."""

import ctypes
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from bcc import BPF, lib

from labs.errors import CannotTry
from labs.trace import btf, libbpf, objects

DRAIN_MS = 20
# Include guards of two headers that bcc's own preamble reads and does not use: defined beforehand,
# they are skipped, which saves a quarter of the compiler's time.
UNREAD = ["-D_LINUX_LOG2_H", "-D_ASM_X86_PAGE_H"]
# A sixth of its time goes into debug information, which only the verifier's log would quote, and a twelfth
# into clang's optimizations, after which bcc runs LLVM's own (BPFModule::run_pass_manager()).
QUICKLY = ["-g0", "-Xclang", "-disable-llvm-passes"]

DECLARED = re.compile(r"^[ \t]*FIELD[ \t]*\([ \t]*(\w+)[ \t]*,[ \t]*(\w+)[ \t]*\)", re.MULTILINE)  # see event.h
INCLUDES = re.compile(r"^[ \t]*#[ \t]*include\b", re.MULTILINE)


class BccProgram:
    """A reader's program in the kernel, compiled there. `fields` are (structure, field) pairs whose offsets it may use,
    beside those that it declares, and event.h."""

    def __init__(self, fields: Sequence[tuple[str, str]], program: Path) -> None:
        text = objects.text(program)
        wanted = {*fields, *DECLARED.findall(text)}
        flags = [f"-D{structure}__{field}={btf.offset(structure, field)}" for structure, field in wanted]
        unread = [] if INCLUDES.search(text) else UNREAD
        try:
            self._bpf = BPF(text=text.encode(), cflags=[*flags, *QUICKLY, *unread])
        except Exception as error:  # bcc raises a bare Exception; the compiler has said why on stderr
            raise CannotTry(f"{program.name} does not compile or load: {error}") from error

    def attach(self, handler: str, symbol: str, address: int | None) -> None:
        """Has the function called, if the program has it: a reader may do without."""
        if not lib.bpf_function_start(self._bpf.module, handler.encode()):
            return
        at = self._bpf.attach_kretprobe if handler.startswith("after_") else self._bpf.attach_kprobe
        at(event=symbol.encode(), fn_name=handler.encode())

    def listen(self, on_event: Callable[[int], None], on_lost: Callable[[int], None]) -> None:
        def called(_processor: int, data: int, _length: int) -> None:
            on_event(data)

        self._bpf[b"events"].open_perf_buffer(called, page_cnt=libbpf.BUFFER_PAGES, lost_cb=on_lost)

    def drain(self) -> None:
        self._bpf.perf_buffer_poll(DRAIN_MS)  # one call empties every processor's buffer

    def watch(self, port: int) -> None:
        self._bpf[b"watched"][ctypes.c_uint32(port)] = ctypes.c_uint32(1)

    def close(self) -> None:
        self._bpf.cleanup()
