/* SPDX-License-Identifier: GPL-2.0-or-later */
struct queue {
	struct waiter *first;
	int class;	/* a word that C++ keeps for itself */
};

static inline int queue(struct queue *queue)
{
	return !queue->first;
}

union queue_key { int number; void *pointer; };
