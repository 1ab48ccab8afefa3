// expect: are told wrong
// By now tcp_release_cb() has cleared the flag.
// SPDX-License-Identifier: GPL-2.0
enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };
#define TCPF_MTU_REDUCED_DEFERRED (1UL << 5)    // include/linux/tcp.h, enum tsq_flags

struct event {
    u64 time_ns;
    u32 probe, port;
    s64 value;
    s32 stack;
    u32 detail;
};

BPF_PERF_OUTPUT(events);
BPF_STACK_TRACE(stacks, 1024);
BPF_HASH(watched, u32, u32);

#define ARGUMENT_1(ctx) (*(void **)((char *)(ctx) + pt_regs__di))
#define GET(variable, from, offset) \
    bpf_probe_read_kernel(&variable, sizeof(variable), (char *)(from) + (offset))

static __always_inline void note(void *ctx, void *sk, u32 probe, s64 value)
{
    struct event event = { .probe = probe, .value = value, .time_ns = bpf_ktime_get_ns() };
    u16 port_be = 0;
    GET(port_be, sk, inet_sock__inet_sport);
    event.port = ntohs(port_be);
    event.stack = stacks.get_stackid(ctx, 0);
    if (watched.lookup(&event.port))
        events.perf_submit(ctx, &event, sizeof(event));
}

// tcp_v4_err(skb, info)
int on_v4_err(void *ctx)
{
    return 0;
}

// tcp_release_cb(sk)
int on_release_cb(void *ctx)
{
    return 0;
}

// tcp_v4_mtu_reduced(sk)
int on_mtu_reduced(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    unsigned long flags = 0;
    GET(flags, sk, sock__sk_tsq_flags);
    note(ctx, sk, MTU_REDUCED, (flags & TCPF_MTU_REDUCED_DEFERRED) != 0);
    return 0;
}
