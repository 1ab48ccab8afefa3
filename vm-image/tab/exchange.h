/* What the parts of `exchange` lend each other. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

/* exchange.c: the run ends with one line that says what could not be done. */
void fail(const char *what);
/* exchange.c: CLOCK_MONOTONIC's. */
double now_ms(void);

/* capture.c: from here on the kernel notes each packet of this network namespace, on any interface. */
void capture_begin(void);
/* capture.c: what was noted so far is not printed. */
void capture_forget(void);
/* capture.c: prints what was noted since the last call, each packet with its first bytes from the IP header on:
 * lab: packet MS INTERFACE in|out LENGTH HEX */
void capture_print(void);

#endif
