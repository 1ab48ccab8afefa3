// expect: one-report-each
// By process, whose threads have one number: one thread's push is taken for all of theirs.
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
BPF_HASH(running, u32, struct splicing);

int on_splice(void *ctx)
{
    u32 process = bpf_get_current_pid_tgid() >> 32;
    struct splicing now = { .sk = socket_of((void *)ARGUMENT_2(ctx)) };
    running.update(&process, &now);
    return 0;
}

int on_push(void *ctx)
{
    u32 process = bpf_get_current_pid_tgid() >> 32;
    struct splicing *now = running.lookup(&process);
    if (now)
        now->pushed = 1;
    return 0;
}

int after_splice(void *ctx)
{
    u32 process = bpf_get_current_pid_tgid() >> 32;
    struct splicing *now = running.lookup(&process);
    if (now && !now->pushed && RETURN_VALUE(ctx) > 0)
        note_socket(ctx, now->sk, SPLICE_RETURN, RETURN_VALUE(ctx), 0);
    return 0;
}
