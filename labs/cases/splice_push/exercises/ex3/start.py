# Exercise splice-push/3: which requests lose their end? `asked` is what splice(2) is asked for, `size` what
# the object has, both in bytes; `where` is the client's place: "lo", "proxy" (beside the server) or
# "client" (behind HAProxy). `more`, `nodelay` and `sndbuf` are 1 if SPLICE_F_MORE, TCP_NODELAY or a small
# send buffer is set. Objects have 1 to 24000 bytes, and `asked` is never less than `size`.
#
# The file is read and not run. In it may stand numbers, words, arithmetic, comparisons, and, or, not, … if … else …,
# abs, all, any, bool, int, max, min, and before `lost` names that you give and functions of one line.
#
#        where   asked       size   more  nodelay  sndbuf
#    1   lo      1073741824  20000   0     0        0
#    2   proxy   20000       20000   0     0        0
#    3   proxy   1073741824  20000   1     0        1
#    4   lo      4000        4000    1     1        0
#    5   client  65536       20000   0     1        0
#    6   client  20000       20000   1     0        0
#    7   lo      20001       20000   0     0        1
#    8   proxy   12000       12000   0     1        1
#    9   lo      16384       16384   0     0        0
#   10   proxy   131072      4000    0     1        0
#   11   client  12001       12000   1     1        0
#   12   proxy   4096        4096    1     0        0

lost = False
