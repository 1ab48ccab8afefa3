// expect: reports-right
// A thread's place is its number modulo one less than a power of two, and threads a multiple of that apart share one.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { CHOICE, RULE, ANSWER, CHOSEN };

static __always_inline u32 thread(void) { return bpf_get_current_pid_tgid(); }

#define SLOTS ((1 << 12) - 1)

struct so_far {
    u32 asked, rule, decided;
    s32 best;
};

BPF_ARRAY(choices, struct so_far, SLOTS);

// ipv6_dev_get_saddr(net, dst_dev, daddr, prefs, saddr)
int on_choice(void *ctx)
{
    int slot = thread() % SLOTS;
    struct so_far fresh = {};
    choices.update(&slot, &fresh);
    return 0;
}

// ipv6_get_saddr_eval(net, score, dst, i)
int on_rule(void *ctx)
{
    int slot = thread() % SLOTS;
    struct so_far *now = choices.lookup(&slot);
    if (now)
        now->rule = ARGUMENT_4(ctx);
    return 0;
}

int after_rule(void *ctx)
{
    int slot = thread() % SLOTS;
    struct so_far *now = choices.lookup(&slot);
    s32 said = RETURN_VALUE(ctx);
    if (!now)
        return 0;
    if (now->asked++ % 2 == 0)
        now->best = said;
    else if (said > now->best)
        now->decided = now->rule;
    return 0;
}

int after_choice(void *ctx)
{
    int slot = thread() % SLOTS;
    struct so_far *now = choices.lookup(&slot);
    if (now)
        note_port(ctx, CHOSEN, thread(), now->decided, 0);
    return 0;
}
