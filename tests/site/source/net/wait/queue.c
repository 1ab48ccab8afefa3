// SPDX-License-Identifier: GPL-2.0-only
/* Written for the tests of kernel_source: what makes it hard to find a function in C. */
#include <wait.h>

#define QUEUE_LIMIT 64
#define for_each_waiter(queue, waiter) \
	for ((waiter) = (queue)->first; \
	     (waiter); \
	     (waiter) = (waiter)->next)
#define DEFINE_WAITER(name) \
	struct waiter name = { .label = "}" }

static int queue_wake(struct queue *queue);

static DEFINE_MUTEX(queue_lock);

static inline struct waiter *
queue_first(struct queue *queue)
{
	return queue->first;
}

/* A comment with a brace } and a name, queue_length(). */
int queue_length(struct queue *queue,
		 unsigned int flags,
		 int (*count)(struct waiter *))
{
	const char *odd = "a brace { and a quote \" and queue_wake() {";
	struct waiter *waiter;
	char brace = '}';
	int length = 0;

	for_each_waiter(queue, waiter) {
		/* } not the end { */
		if (flags & QUEUE_COUNT)
			length += count(waiter);
		else
			length++;
		if (length > QUEUE_LIMIT)
			goto out;
	}
	if (!odd || brace != '}') {
		length = -1;
		goto out;
	}
out:
	return length;
}
EXPORT_SYMBOL_GPL(queue_length);

static int __must_check queue_wake(struct queue *queue)
{
	return	queue_first(queue) ? 1 : 0;
}

#ifdef CONFIG_QUEUE_DEBUG
static void queue_trace(struct queue *queue)
{
	printk("queue of %d\n", queue_length(queue, 0, NULL));
}
#else
static void queue_trace(struct queue *queue)
{
}
#endif

SYSCALL_DEFINE2(queue_wait, int, fd, unsigned int, flags)
{
	return 0;
}

const struct queue_ops queue = {
	.wake = queue_wake,
};
