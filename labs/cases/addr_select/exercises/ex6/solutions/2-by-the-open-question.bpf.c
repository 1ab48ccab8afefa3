// Without counting: a question is the candidate's if the best's to the same rule is still open. The scores are two
// places on the kernel's stack (scores[2]) that change their parts when a candidate overtakes, which is
// why their addresses alone would not do.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { CHOICE, RULE, ANSWER, CHOSEN };

static __always_inline u32 thread(void) { return bpf_get_current_pid_tgid(); }

struct pair {
    u64 best;       // the score of the best so far, as an address in the kernel
    s32 best_said, rule, open, decided;
};

BPF_HASH(pairs, u32, struct pair);

// ipv6_dev_get_saddr(net, dst_dev, daddr, prefs, saddr)
int on_choice(void *ctx)
{
    struct pair fresh = {};
    u32 who = thread();
    pairs.update(&who, &fresh);
    return 0;
}

// ipv6_get_saddr_eval(net, score, dst, i)
int on_rule(void *ctx)
{
    u32 who = thread();
    struct pair *now = pairs.lookup(&who);
    if (!now)
        return 0;
    if (!now->open)
        now->best = ARGUMENT_2(ctx);
    now->rule = ARGUMENT_4(ctx);
    return 0;
}

int after_rule(void *ctx)
{
    u32 who = thread();
    struct pair *now = pairs.lookup(&who);
    s32 said = RETURN_VALUE(ctx);
    if (!now)
        return 0;
    if (now->open && said > now->best_said)
        now->decided = now->rule;
    now->best_said = said;
    now->open = !now->open;
    return 0;
}

int after_choice(void *ctx)
{
    u32 who = thread();
    struct pair *now = pairs.lookup(&who);
    if (now)
        note_port(ctx, CHOSEN, who, now->decided, 0);
    return 0;
}
