"""Which system calls has a confined program lost? Those in DENIED fail for it, with EPERM (seccomp(2)). This is a
program of its own, which imports nothing of ours:

    python3 -c TEXT ADJUSTMENT bwrap WORDS...   is bwrap, to which it hands the filter as a file; ADJUSTMENT, if there
                                                is one, is for /proc/self/oom_score_adj (proc(5))
"""

import ctypes
import os
import sys

# Namespaces do not part keyrings(7), where what has logged in or mounted for the reader may have left keys. And QEMU,
# which has given up most system calls, could have those of another process beside it, by tracing that.
DENIED = ("add_key", "request_key", "keyctl", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd")
ALLOW, WITH_EPERM = 0x7FFF0000, 0x00050001  # SCMP_ACT_ALLOW, SCMP_ACT_ERRNO(EPERM): seccomp.h


def denying() -> int:
    """A descriptor of the filter, for bwrap to inherit. Written by libseccomp, which QEMU brings along."""
    library, filter = ctypes.CDLL("libseccomp.so.2"), os.memfd_create("filter", 0)
    library.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(ALLOW)))
    for name in DENIED:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number < 0 or library.seccomp_rule_add(rules, ctypes.c_uint32(WITH_EPERM), number, 0):
            sys.exit(f"libseccomp cannot deny {name}")
    if library.seccomp_export_bpf(rules, filter):
        sys.exit("libseccomp makes no filter")
    os.lseek(filter, 0, os.SEEK_SET)
    return filter


def main(adjustment: str, bwrap: str, *words: str) -> None:
    """What the command line says."""
    if adjustment:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write(adjustment)
    os.execvp(bwrap, [bwrap, "--seccomp", str(denying()), *words])


if __name__ == "__main__":
    main(*sys.argv[1:])
