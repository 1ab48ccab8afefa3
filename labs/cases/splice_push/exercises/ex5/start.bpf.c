// SPDX-License-Identifier: GPL-2.0
// Exercise splice-push/5: which splices ended without a push? Report each with the bytes that it handed over:
// note_socket(ctx, sk, SPLICE_RETURN, bytes, 0). GET() reads a field, ARGUMENT_1(ctx) is a function's first
// argument, RETURN_VALUE(ctx) what it returns (labs/trace/event.h); socket_of() below gives a file's socket.

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

// generic_splice_sendpage(pipe, out, ppos, len, flags) is entered: `out` is the socket's file.
int on_splice(void *ctx)
{
    return 0;
}

// tcp_push(sk, flags, mss_now, nonagle, size_goal) is entered.
int on_push(void *ctx)
{
    return 0;
}

// generic_splice_sendpage() returns: the bytes it has handed over, or a negative error.
int after_splice(void *ctx)
{
    return 0;
}
