// SPDX-License-Identifier: GPL-2.0
// What do all tracing programs share? One report of one call: when, for which connection, how it came there.
//
//     #include "event.h"
//     int on_simple_retransmit(void *ctx) { return note_socket(ctx, ARGUMENT_1(ctx), SIMPLE_RETRANSMIT, 0, 0); }
//
// No kernel headers are included: after FIELD(structure, field); `structure__field` is the field's offset, asked of the
// running kernel. bcc compiles this with offsets that are given to it; object.h has it compiled beforehand, to be filled in.

#ifndef FIELD
#define FIELD(structure, field)
#endif
#ifndef WORD_BITS           // of the kernel
#define WORD_BITS 64
#endif

#define LONGEST_STACK 128   // frames, a power of two; an ICMP that comes back inside the call has 60

struct event {
    u64 time_ns;
    u32 probe, port;        // port: the local one, which names the connection
    s64 value;
    u32 detail;
    s32 stack_bytes;
    u64 stack[LONGEST_STACK];
};

BPF_PERF_OUTPUT(events);
BPF_HASH(watched, u32, u32);
// An event is larger than a program's own stack (512 bytes) may be. One for each processor is enough:
// kprobe programs are not preempted, and one that would interrupt another does not run
// (trace_call_bpf() in kernel/trace/bpf_trace.c).
BPF_PERCPU_ARRAY(scratch, struct event, 1);

// The registers as a probe finds them (struct pt_regs, arch/x86/include/uapi/asm/ptrace.h), and where the arguments of a
// function are: in the first of them, and on 32 bits from the fourth on above the return address (-mregparm=3).
#if WORD_BITS == 32
typedef u32 word;           // the kernel's `unsigned long`
typedef s32 signed_word;
struct registers { word bx, cx, dx, si, di, bp, ax, ds, es, fs, gs, orig_ax, ip, cs, flags, sp; };
#define ARGUMENT_1(ctx) ((void *)(u64)REGISTER(ctx, ax))
#define ARGUMENT_2(ctx) ((u64)REGISTER(ctx, dx))
#define ARGUMENT_3(ctx) ((u64)REGISTER(ctx, cx))
#define ARGUMENT_4(ctx) on_stack(ctx, 1)
#define ARGUMENT_5(ctx) on_stack(ctx, 2)
#else
typedef u64 word;
typedef s64 signed_word;
struct registers { word r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di; };
#define ARGUMENT_1(ctx) ((void *)REGISTER(ctx, di))
#define ARGUMENT_2(ctx) REGISTER(ctx, si)
#define ARGUMENT_3(ctx) REGISTER(ctx, dx)
#define ARGUMENT_4(ctx) REGISTER(ctx, cx)
#define ARGUMENT_5(ctx) REGISTER(ctx, r8)
#endif
#define REGISTER(ctx, name) (*(word *)((char *)(ctx) + offsetof(struct registers, name)))
// In an after_…() function. The registers above may hold anything by then.
#define RETURN_VALUE(ctx) ((s64)(signed_word)REGISTER(ctx, ax))

// Reads a field of a kernel structure; of an address as much as the kernel's have.
#define SIZE(variable) _Generic(variable, void *: sizeof(word), default: sizeof(variable))
#define GET(variable, from, offset) \
    bpf_probe_read_kernel(&variable, SIZE(variable), (char *)(from) + (offset))

#if WORD_BITS == 32
static __always_inline u64 on_stack(void *ctx, u32 number)
{
    word found = 0;
    GET(found, (u64)REGISTER(ctx, sp), number * sizeof(word));
    return found;
}

// Stacks are followed by frame pointers there, and a function that is just being entered has not made its frame: its
// caller is told by the return address alone, which is put in behind the function itself. (The instruction pointer is one
// byte into it; kprobe_ftrace_handler() in arch/x86/kernel/kprobes/ftrace.c. At a return it is elsewhere.)
static __always_inline s64 stack_of(void *ctx, u64 *stack, u32 most_bytes)
{
    if (REGISTER(ctx, ip) != bpf_get_func_ip(ctx) + 1)
        return bpf_get_stack(ctx, stack, most_bytes, 0);
    s64 bytes = bpf_get_stack(ctx, stack + 1, most_bytes - sizeof(u64), 0);
    stack[0] = stack[1];
    stack[1] = on_stack(ctx, 0);
    return bytes < 0 ? bytes : bytes + sizeof(u64);
}
#else
static __always_inline s64 stack_of(void *ctx, u64 *stack, u32 most_bytes)
{
    return bpf_get_stack(ctx, stack, most_bytes, 0);
}
#endif

FIELD(inet_sock, inet_sport);

// Reports an event of a watched port, with its stack. A stack goes in the event itself: the kernel's
// table of stacks (BPF_STACK_TRACE) is keyed by a hash, and drops one of two that collide.
static __always_inline int note_port(void *ctx, u32 probe, u32 port, s64 value, u32 detail)
{
    int zero = 0;
    struct event *event = scratch.lookup(&zero);
    if (!event || !watched.lookup(&port))
        return 0;
    event->time_ns = bpf_ktime_get_ns();
    event->probe = probe;
    event->port = port;
    event->value = value;
    event->detail = detail;
    // One frame less than fits, and the mask: so the verifier sees that no more than an event is sent.
    s64 bytes = stack_of(ctx, event->stack, sizeof(event->stack) - sizeof(u64));
    event->stack_bytes = bytes < 0 ? 0 : bytes & (sizeof(event->stack) - 1);
    events.perf_submit(ctx, event, offsetof(struct event, stack) + (bytes & (sizeof(event->stack) - 1)));
    return 0;
}

// The same for a port as the network has it (big-endian), and for a socket.
static __always_inline int note(void *ctx, u32 probe, u16 port_be, s64 value, u32 detail)
{
    return note_port(ctx, probe, ntohs(port_be), value, detail);
}

static __always_inline int note_socket(void *ctx, void *sk, u32 probe, s64 value, u32 detail)
{
    u16 port_be = 0;
    GET(port_be, sk, inet_sock__inet_sport);
    return note(ctx, probe, port_be, value, detail);
}
