// expect: one-report-each
// By socket, whose push is whose it was that came last: of two splices on one socket the outer one's is nobody's.
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

struct splicing { u64 thread, pushed; };
BPF_HASH(running, u64, struct splicing);  // by socket
BPF_HASH(sockets, u64, u64);

int on_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), sk = (u64)socket_of((void *)ARGUMENT_2(ctx));
    struct splicing now = { .thread = thread };
    running.update(&sk, &now);
    sockets.update(&thread, &sk);
    return 0;
}

int on_push(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), sk = (u64)ARGUMENT_1(ctx);
    struct splicing *now = running.lookup(&sk);
    if (now && now->thread == thread)
        now->pushed = 1;
    return 0;
}

int after_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), *sk = sockets.lookup(&thread);
    struct splicing *now;
    if (!sk)
        return 0;
    now = running.lookup(sk);
    if (now && !now->pushed && RETURN_VALUE(ctx) > 0)
        note_socket(ctx, (void *)*sk, SPLICE_RETURN, RETURN_VALUE(ctx), 0);
    if (now)
        now->pushed = 0;
    sockets.delete(&thread);
    return 0;
}
