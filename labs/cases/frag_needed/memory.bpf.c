// SPDX-License-Identifier: GPL-2.0
// What does a connection know of the path's MTU, and who tells it?
// Reports the state of the route that a connection has kept, whenever TCP asks for the segment size.
// No kernel headers are included: `structure__field` is a field's offset, asked of the kernel.

enum probe { NEXT_HOP_EXCEPTION, CURRENT_MSS, SYNC_MSS };

struct event {
    u64 time_ns;
    u32 probe, port;    // port: the local one, which names the connection; 0 for the route itself
    s64 value;
    s32 stack;
    u32 detail;
};

BPF_PERF_OUTPUT(events);
BPF_STACK_TRACE(stacks, 16384);
BPF_HASH(watched, u32, u32);

// On x86-64 the first four arguments of a function come in registers (System V ABI, 3.2.3).
#define REGISTER(ctx, name) (*(u64 *)((char *)(ctx) + pt_regs__##name))
#define ARGUMENT_1(ctx) ((void *)REGISTER(ctx, di))
#define ARGUMENT_2(ctx) ((u32)REGISTER(ctx, si))
#define ARGUMENT_4(ctx) ((u32)REGISTER(ctx, cx))

// Reads a field of a kernel structure.
#define GET(variable, from, offset) \
    bpf_probe_read_kernel(&variable, sizeof(variable), (char *)(from) + (offset))

static __always_inline int note(void *ctx, u32 probe, u16 port_be, s64 value, u32 detail)
{
    struct event event = { .probe = probe, .port = ntohs(port_be), .value = value, .detail = detail };
    if (!watched.lookup(&event.port))
        return 0;
    event.time_ns = bpf_ktime_get_ns();
    event.stack = stacks.get_stackid(ctx, 0);
    events.perf_submit(ctx, &event, sizeof(event));
    return 0;
}

// update_or_create_fnhe(nhc, daddr, gw, pmtu, lock, expires): the MTU is hung on the next hop.
int on_next_hop_exception(void *ctx) { return note(ctx, NEXT_HOP_EXCEPTION, 0, ARGUMENT_4(ctx), 0); }

// tcp_current_mss(sk): of the route that the connection has kept, is it stale, and its learnt MTU.
int on_current_mss(void *ctx)
{
    void *sk = ARGUMENT_1(ctx), *dst = 0;
    u16 port_be = 0;
    s16 obsolete = 0;
    u32 pmtu = 0;
    GET(port_be, sk, inet_sock__inet_sport);
    GET(dst, sk, sock__sk_dst_cache);
    GET(obsolete, dst, dst_entry__obsolete);
    GET(pmtu, dst, rtable__rt_pmtu);    // the lowest bit is rt_mtu_locked
    return note(ctx, CURRENT_MSS, port_be, obsolete, pmtu >> 1);
}

// tcp_sync_mss(sk, pmtu): the connection takes over an MTU.
int on_sync_mss(void *ctx)
{
    u16 port_be = 0;
    GET(port_be, ARGUMENT_1(ctx), inet_sock__inet_sport);
    return note(ctx, SYNC_MSS, port_be, ARGUMENT_2(ctx), 0);
}
