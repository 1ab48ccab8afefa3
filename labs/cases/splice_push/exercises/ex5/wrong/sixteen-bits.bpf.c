// expect: reports-right
// The bytes are kept in sixteen bits: what a larger pipe held is reported less 65536.
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
BPF_HASH(running, u64, struct splicing);

int on_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid();
    struct splicing now = { .sk = socket_of((void *)ARGUMENT_2(ctx)) };
    running.update(&thread, &now);
    return 0;
}

int on_push(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid();
    struct splicing *now = running.lookup(&thread);
    if (now && now->sk == ARGUMENT_1(ctx))
        now->pushed = 1;
    return 0;
}

int after_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid();
    struct splicing *now = running.lookup(&thread);
    if (now && !now->pushed && RETURN_VALUE(ctx) > 0) {
        u16 bytes = RETURN_VALUE(ctx);  // a pipe holds 64 KiB
        note_socket(ctx, now->sk, SPLICE_RETURN, bytes, 0);
    }
    running.delete(&thread);
    return 0;
}
