// expect: reports-right
// A place for each processor. A splice that waits gives the processor away, and another thread's may begin there.
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

struct splicing { void *sk; u64 pushed; };
BPF_PERCPU_ARRAY(running, struct splicing, 1);

int on_splice(void *ctx)
{
    int here = 0;
    struct splicing *now = running.lookup(&here);
    if (now) {
        now->sk = socket_of((void *)ARGUMENT_2(ctx));
        now->pushed = 0;
    }
    return 0;
}

int on_push(void *ctx)
{
    int here = 0;
    struct splicing *now = running.lookup(&here);
    if (now && now->sk == ARGUMENT_1(ctx))
        now->pushed = 1;
    return 0;
}

int after_splice(void *ctx)
{
    int here = 0;
    struct splicing *now = running.lookup(&here);
    if (now && !now->pushed && RETURN_VALUE(ctx) > 0)
        note_socket(ctx, now->sk, SPLICE_RETURN, RETURN_VALUE(ctx), 0);
    return 0;
}
