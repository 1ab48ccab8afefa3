// expect: reports-right
// The largest rule by which anybody overtook is not always the last: two addresses of lo differ by a later rule than
// the one by which an address of the uplink then overtakes both.
// SPDX-License-Identifier: GPL-2.0

#include "event.h"

enum probe { CHOICE, RULE, ANSWER, CHOSEN };

struct contest {
    u32 open;    // a choice is being made
    u32 asked;   // questions so far
    u32 i;       // the rule of the last one
    s32 best;    // what the best answered to it
    u32 someone; // some candidate has overtaken
    u32 rule;    // by this rule
};

BPF_HASH(contests, u32, struct contest);

static __always_inline u32 thread(void) { return bpf_get_current_pid_tgid(); }

// ipv6_dev_get_saddr(net, dst_dev, daddr, prefs, saddr)
int on_choice(void *ctx)
{
    u32 key = thread();
    struct contest fresh = {};

    fresh.open = 1;
    contests.update(&key, &fresh);
    return 0;
}

// ipv6_get_saddr_eval(net, score, dst, i)
int on_rule(void *ctx)
{
    u32 key = thread();
    struct contest *c = contests.lookup(&key);

    if (!c || !c->open)
        return 0;
    c->asked++;
    c->i = (u32)ARGUMENT_4(ctx);
    return 0;
}

int after_rule(void *ctx)
{
    u32 key = thread();
    struct contest *c = contests.lookup(&key);
    s32 answer = (s32)RETURN_VALUE(ctx);

    if (!c || !c->open)
        return 0;
    if (c->asked & 1) {
        c->best = answer;
    } else if (answer > c->best) {
        c->someone = 1;
        if (c->i > c->rule)
            c->rule = c->i;
    }
    return 0;
}

int after_choice(void *ctx)
{
    u32 key = thread();
    struct contest *c = contests.lookup(&key);
    u32 rule;

    if (!c || !c->open)
        return 0;
    c->open = 0;
    if ((s32)RETURN_VALUE(ctx) != 0 || !c->someone)
        return 0; // nobody was chosen
    rule = c->rule;
    note_port(ctx, CHOSEN, key, rule, 0);
    return 0;
}
