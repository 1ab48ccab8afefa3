// expect: reports-right
// Sixteen bits of an id are enough, as in a record of a login: threads 65536 apart are taken for one.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { CHOICE, RULE, ANSWER, CHOSEN };

static __always_inline u32 thread(void) { return bpf_get_current_pid_tgid(); }

struct so_far {
    u32 asked, rule, decided;
    s32 best;
};

BPF_HASH(choices, u16, struct so_far);

// ipv6_dev_get_saddr(net, dst_dev, daddr, prefs, saddr)
int on_choice(void *ctx)
{
    struct so_far fresh = {};
    u16 who = thread();
    choices.update(&who, &fresh);
    return 0;
}

// ipv6_get_saddr_eval(net, score, dst, i)
int on_rule(void *ctx)
{
    u16 who = thread();
    struct so_far *now = choices.lookup(&who);
    if (now)
        now->rule = ARGUMENT_4(ctx);
    return 0;
}

int after_rule(void *ctx)
{
    u16 who = thread();
    struct so_far *now = choices.lookup(&who);
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
    u16 who = thread();
    struct so_far *now = choices.lookup(&who);
    if (now)
        note_port(ctx, CHOSEN, thread(), now->decided, 0);
    return 0;
}
