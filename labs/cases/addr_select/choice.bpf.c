// SPDX-License-Identifier: GPL-2.0
// What does the kernel ask of each candidate when it chooses a source address, and what is the answer?
// ipv6_get_saddr_eval(net, score, dst, i) in net/ipv6/addrconf.c is rule i for the address in `score`.
// What is watched here is a thread, not a port: the address is chosen before there is a packet.

#include "event.h"

FIELD(ipv6_saddr_score, ifa);
FIELD(inet6_ifaddr, addr);
FIELD(inet6_ifaddr, idev);
FIELD(inet6_dev, dev);
FIELD(net_device, ifindex);

enum probe { LABEL, ASKED, ANSWERED };

struct question {
    s64 address;    // see named()
    u32 rule;
};

BPF_HASH(open_questions, u32, struct question);

static __always_inline u32 thread(void) { return bpf_get_current_pid_tgid(); }

// __ipv6_addr_label(net, addr, type, ifindex): for its stack.
int on_label(void *ctx) { return note_port(ctx, LABEL, thread(), 0, 0); }

// Enough of an address to tell it from others: interface << 48 | third group << 32 | last two groups.
// 0 for "none yet".
static __always_inline s64 named(void *ifa)
{
    void *idev = 0, *dev = 0;
    u32 ifindex = 0, last = 0;
    u16 third = 0;
    if (!ifa)
        return 0;
    GET(idev, ifa, inet6_ifaddr__idev);
    GET(dev, idev, inet6_dev__dev);
    GET(ifindex, dev, net_device__ifindex);
    GET(last, ifa, inet6_ifaddr__addr + 12);
    GET(third, ifa, inet6_ifaddr__addr + 4);
    return (s64)ifindex << 48 | (s64)ntohs(third) << 32 | ntohl(last);
}

int on_eval(void *ctx)
{
    struct question question = {};
    void *ifa = 0;
    u32 who = thread();
    GET(ifa, ARGUMENT_2(ctx), ipv6_saddr_score__ifa);
    question.address = named(ifa);
    question.rule = ARGUMENT_4(ctx);
    if (watched.lookup(&who))
        open_questions.update(&who, &question);
    return 0;
}

// The answer, an int, in the upper half of `detail`, the rule in the lower.
int after_eval(void *ctx)
{
    u32 who = thread();
    struct question *question = open_questions.lookup(&who);
    if (!question)
        return 0;
    return note_port(ctx, ANSWERED, who, question->address, (u32)RETURN_VALUE(ctx) << 16 | question->rule);
}
