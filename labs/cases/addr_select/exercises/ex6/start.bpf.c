// SPDX-License-Identifier: GPL-2.0
// Exercise addr-select/6: which rule decided? Report each choice of a source address once, with the number of
// the rule (the argument i) at which the address that was chosen overtook the best before it.
//
// on_…() functions are called at the entry of the kernel function, after_…() at its return. note_port(ctx, CHOSEN,
// thread(), value, 0) reports an event; ARGUMENT_4(ctx) is a function's fourth argument, RETURN_VALUE(ctx) what
// it returned (labs/trace/event.h). BPF_HASH(name, u32, struct …) makes a map with name.lookup(&key) and
// name.update(&key, &value). Several threads will choose, some of them at the same time.

#include "event.h"

enum probe { CHOICE, RULE, ANSWER, CHOSEN };

static __always_inline u32 thread(void) { return bpf_get_current_pid_tgid(); }

// ipv6_dev_get_saddr(net, dst_dev, daddr, prefs, saddr)
int on_choice(void *ctx)
{
    return 0;
}

// ipv6_get_saddr_eval(net, score, dst, i)
int on_rule(void *ctx)
{
    return 0;
}

int after_rule(void *ctx)
{
    return 0;
}

int after_choice(void *ctx)
{
    return 0;
}
