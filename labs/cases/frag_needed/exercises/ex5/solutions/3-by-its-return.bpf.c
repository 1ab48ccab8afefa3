// Of tcp_v4_err() only the call that acts at once comes before its return; the deferred one is made by tcp_release_cb(),
// later. So each processor notes that it is inside tcp_v4_err(), from the entry to the return.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };

BPF_PERCPU_ARRAY(in_v4_err, u32, 1);

// tcp_v4_err(skb, info)
int on_v4_err(void *ctx)
{
    u32 zero = 0, inside = 1;
    in_v4_err.update(&zero, &inside);
    return 0;
}

int after_v4_err(void *ctx)
{
    u32 zero = 0, inside = 0;
    in_v4_err.update(&zero, &inside);
    return 0;
}

// tcp_v4_mtu_reduced(sk)
int on_mtu_reduced(void *ctx)
{
    u32 zero = 0, *inside = in_v4_err.lookup(&zero);
    note_socket(ctx, ARGUMENT_1(ctx), MTU_REDUCED, !(inside && *inside), 0);
    return 0;
}
