// SPDX-License-Identifier: GPL-2.0
// Which way did each run of tcp_v4_mtu_reduced() come, and on top of which thread? The stack tells the way; the value is
// the thread that was current, which may be any: a softirq runs on top of whoever is there.

#include "event.h"

enum probe { MTU_REDUCED };

int on_mtu_reduced(void *ctx)
{
    return note_socket(ctx, ARGUMENT_1(ctx), MTU_REDUCED, (u32)bpf_get_current_pid_tgid(), 0);
}
