// expect: one-report-each
// A thread's push is kept until a splice of that thread returns, also one that was before the splice: behind a header
// that send() has pushed, a splice that nobody pushes is not reported.
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

BPF_HASH(sockets, u64, void *);
BPF_HASH(pushed, u64, u64);

int on_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid();
    void *sk = socket_of((void *)ARGUMENT_2(ctx));
    sockets.update(&thread, &sk);
    return 0;
}

int on_push(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), one = 1;
    pushed.update(&thread, &one);
    return 0;
}

int after_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid();
    void **sk = sockets.lookup(&thread);
    if (sk && !pushed.lookup(&thread) && RETURN_VALUE(ctx) > 0)
        note_socket(ctx, *sk, SPLICE_RETURN, RETURN_VALUE(ctx), 0);
    pushed.delete(&thread);
    return 0;
}
