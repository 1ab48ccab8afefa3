"""How does an object get into the kernel, and its events out? By Debian's libbpf, called from Python.

The functions are those of bpf/libbpf.h and bpf/btf.h. What fails gives no address, or a number below 0, and errno; the
library says on standard error why.
"""

import ctypes
import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from labs.errors import CannotTry
from labs.trace import btf, objects

BUFFER_PAGES = 512  # of each processor, 4 KiB a page; what does not fit is counted as lost
_DATASEC = 15  # BTF_KIND_DATASEC, a section's variables; Documentation/bpf/btf.rst


class _Address(ctypes.c_void_p):
    """An address of one of the library's objects. Python takes c_void_p itself for a number, and passes on an int."""


class _Type(ctypes.Structure):
    """`struct btf_type`; the structures of its members follow it in memory."""

    _fields_ = [("name", ctypes.c_uint32), ("info", ctypes.c_uint32), ("size", ctypes.c_uint32)]


class _Variable(ctypes.Structure):
    """`struct btf_var_secinfo`: a variable, and where it is in its section."""

    _fields_ = [("type", ctypes.c_uint32), ("at", ctypes.c_uint32), ("size", ctypes.c_uint32)]


class _Options(ctypes.Structure):
    """`struct bpf_kprobe_opts`; without a name, the offset is from the address 0."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("cookie", ctypes.c_uint64),
        ("offset", ctypes.c_size_t),
        ("at_return", ctypes.c_bool),
    ]


_GIVE: dict[type, list[str]] = {
    _Address: [
        *("bpf_object__open_file", "bpf_object__btf", "bpf_object__find_map_by_name", "bpf_map__initial_value"),
        *("bpf_object__find_program_by_name", "bpf_program__attach_kprobe_opts", "perf_buffer__new"),
    ],
    ctypes.POINTER(_Type): ["btf__type_by_id"],
    ctypes.c_char_p: ["btf__name_by_offset"],
}
_Sample = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)
_Lost = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64)


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL("libbpf.so.1", use_errno=True)
    for kind, names in _GIVE.items():
        for name in names:
            getattr(library, name).restype = kind  # kept with the library, as what library[name] gives is not
    return library


class LibbpfProgram:
    """A program of ours in the kernel, compiled beforehand, its fields' offsets filled in."""

    def __init__(self, program: Path) -> None:
        self._name, self._bpf = program.name, _library()
        self._links: list[_Address] = []
        self._buffer = _Address()
        object_file = os.fsencode(objects.compiled(program))
        self._object = self._done(self._bpf.bpf_object__open_file(object_file, None), "is no object")
        try:
            for structure, field, offset in self._fields():
                offset.value = btf.offset(structure, field)
            self._done(self._bpf.bpf_object__load(self._object) == 0, "does not load")
        except BaseException:
            self.close()
            raise

    def attach(self, handler: str, symbol: str, address: int | None = None) -> None:
        """Have this function of the program called at the entry of the kernel's; an after_…() at its return. By an
        `address` the kernel finds it at once; for a name it goes through all its symbols, twice."""
        program = self._bpf.bpf_object__find_program_by_name(self._object, handler.encode())
        self._done(program, f"has no {handler}()")
        options = _Options(ctypes.sizeof(_Options), 0, address or 0, handler.startswith("after_"))
        name = b"" if address else symbol.encode()  # perf_kprobe_init() in kernel/trace/trace_event_perf.c
        link = self._bpf.bpf_program__attach_kprobe_opts(program, name, ctypes.byref(options))
        self._links.append(self._done(link, f"cannot be attached to {symbol}()"))

    def listen(self, on_event: Callable[[int], None], on_lost: Callable[[int], None]) -> None:
        """Keep events from now on for `drain`, which hands over the address of each."""
        # C counts no references, so these are kept.
        self._called = (
            _Sample(lambda _context, _processor, data, _length: on_event(data)),
            _Lost(lambda _context, _processor, count: on_lost(count)),
        )
        pages = ctypes.c_size_t(BUFFER_PAGES)
        self._buffer = self._bpf.perf_buffer__new(self._map("events"), pages, *self._called, None, None)
        self._done(self._buffer, "has no buffer for its events")

    def drain(self) -> None:
        """Hand over all events that there are."""
        self._bpf.perf_buffer__consume(self._buffer)

    def watch(self, port: int) -> None:
        """Have events of this port reported."""
        key, value, any_way = ctypes.c_uint32(port), ctypes.c_uint32(1), ctypes.c_uint64(0)
        watched = self._map("watched")
        failed = self._bpf.bpf_map_update_elem(watched, ctypes.byref(key), ctypes.byref(value), any_way)
        self._done(failed == 0, f"watches no port {port}")

    def close(self) -> None:
        """Take the program out of the kernel."""
        for link in self._links:
            self._bpf.bpf_link__destroy(link)
        self._bpf.perf_buffer__free(self._buffer)
        self._bpf.bpf_object__close(self._object)

    def _map(self, name: str) -> int:
        return self._bpf.bpf_object__find_map_fd_by_name(self._object, name.encode())

    def _fields(self) -> Iterator[tuple[str, str, ctypes.c_uint32]]:
        """What event.h's FIELD() declares: a structure, a field of it, and the place that its offset has."""
        constants = self._bpf.bpf_object__find_map_by_name(self._object, b".rodata")
        values = self._bpf.bpf_map__initial_value(constants, ctypes.byref(ctypes.c_size_t())).value
        types = self._bpf.bpf_object__btf(self._object)
        number = self._bpf.btf__find_by_name_kind(types, b".rodata", _DATASEC)
        section = self._bpf.btf__type_by_id(types, number).contents
        count, first = section.info & 0xFFFF, ctypes.addressof(section) + ctypes.sizeof(section)
        for one in (_Variable * count).from_address(first):
            variable = self._bpf.btf__type_by_id(types, one.type).contents
            name = self._bpf.btf__name_by_offset(types, variable.name).decode()
            structure, _, field = name.partition("__")
            yield structure, field, ctypes.c_uint32.from_address(values + one.at)

    def _done(self, given, otherwise: str):
        """Raise CannotTry if the library gave nothing; else what it gave."""
        if not given:
            raise CannotTry(f"{self._name} {otherwise}: {os.strerror(ctypes.get_errno())}")
        return given
