// expect: one-report-each
// One place for whoever came last: a thread that comes into splice(2) while another waits there takes it away from that one.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { SPLICE, PUSH, SPLICE_RETURN };

// The socket behind a file.
static __always_inline void *socket_of(void *file)
{
    void *socket = 0, *sk = 0;
    GET(socket, file, file__private_data);
    GET(sk, socket, socket__sk);
    return sk;
}

struct splicing { u64 thread, sk; };
BPF_HASH(last, u32, struct splicing);

int on_splice(void *ctx)
{
    u32 here = 0;
    struct splicing now = { bpf_get_current_pid_tgid(), (u64)socket_of((void *)ARGUMENT_2(ctx)) };
    last.update(&here, &now);
    return 0;
}

int on_push(void *ctx)
{
    u32 here = 0;
    struct splicing *now = last.lookup(&here);
    if (now && now->thread == bpf_get_current_pid_tgid())
        last.delete(&here);
    return 0;
}

int after_splice(void *ctx)
{
    u32 here = 0;
    struct splicing *now = last.lookup(&here);
    if (now && now->thread == bpf_get_current_pid_tgid() && RETURN_VALUE(ctx) > 0)
        note_socket(ctx, (void *)now->sk, SPLICE_RETURN, RETURN_VALUE(ctx), 0);
    return 0;
}
