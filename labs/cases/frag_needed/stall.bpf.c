// SPDX-License-Identifier: GPL-2.0
// What does the kernel do with the ICMP that says "fragmentation needed"?
// Each probe reports when, for which connection, with how many segments in flight, and the stack.
// No kernel headers are included: `structure__field` is a field's offset, asked of the kernel.

enum probe { ICMP_SEND, V4_ERR, MTU_REDUCED, SIMPLE_RETRANSMIT, RETRANSMIT, WAKEUP, SEND_CHECK };

struct event {
    u64 time_ns;
    u32 probe, port;    // port: the local one, which names the connection
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

static __always_inline int note(void *ctx, u32 probe, u16 port_be, s64 value)
{
    struct event event = { .probe = probe, .port = ntohs(port_be), .value = value };
    if (!watched.lookup(&event.port))
        return 0;
    event.time_ns = bpf_ktime_get_ns();
    event.stack = stacks.get_stackid(ctx, 0);
    events.perf_submit(ctx, &event, sizeof(event));
    return 0;
}

static __always_inline int note_socket(void *ctx, u32 probe)
{
    void *sk = ARGUMENT_1(ctx);
    u16 port_be = 0;
    u32 in_flight = 0;
    GET(port_be, sk, inet_sock__inet_sport);
    GET(in_flight, sk, tcp_sock__packets_out);
    return note(ctx, probe, port_be, in_flight);
}

// __icmp_send(skb_in, type, code, info): the packet that is refused, and in info the MTU.
int on_icmp_send(void *ctx)
{
    void *sk = 0;
    u16 port_be = 0;
    GET(sk, ARGUMENT_1(ctx), sk_buff__sk);
    GET(port_be, sk, inet_sock__inet_sport);
    return note(ctx, ICMP_SEND, port_be, ntohl(ARGUMENT_4(ctx)));
}

// tcp_v4_err(skb, info): skb->data is the quoted IP header, then the quoted TCP header.
int on_v4_err(void *ctx)
{
    void *quoted = 0;
    u16 port_be = 0;
    GET(quoted, ARGUMENT_1(ctx), sk_buff__data);
    GET(port_be, quoted, 20);
    return note(ctx, V4_ERR, port_be, ARGUMENT_2(ctx));
}

int on_mtu_reduced(void *ctx) { return note_socket(ctx, MTU_REDUCED); }
int on_simple_retransmit(void *ctx) { return note_socket(ctx, SIMPLE_RETRANSMIT); }
int on_retransmit(void *ctx) { return note_socket(ctx, RETRANSMIT); }
int on_wakeup(void *ctx) { return note_socket(ctx, WAKEUP); }
// tcp_v4_send_check(sk, skb) puts the checksum into every segment that TCP hands to IP.
int on_send_check(void *ctx) { return note_socket(ctx, SEND_CHECK); }
