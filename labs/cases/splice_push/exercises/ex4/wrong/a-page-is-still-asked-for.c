// expect: flags-exact-in-pieces
// More is asked for than a page holds, so far: but what is in the pipe may be smaller than pages.
// SPDX-License-Identifier: GPL-2.0
#include <linux/fs.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/socket.h>
#include <linux/splice.h>

static int page_to_socket(struct pipe_inode_info *pipe, struct pipe_buffer *buf, struct splice_desc *desc)
{
	struct file *socket = desc->u.file;
	loff_t position = desc->pos;
	int flags = desc->flags & SPLICE_F_MORE ? MSG_MORE : 0;

	if (!socket->f_op->sendpage)
		return -EINVAL;
	if (desc->total_len > PAGE_SIZE && pipe_occupancy(pipe->head, pipe->tail) > 1)
		flags |= MSG_SENDPAGE_NOTLAST;
	return socket->f_op->sendpage(socket, buf->page, buf->offset, desc->len, &position, flags);
}

static struct klp_func functions[] = {
	{ .old_name = "pipe_to_sendpage", .new_func = page_to_socket },
	{ }
};
static struct klp_object objects[] = { { .funcs = functions }, { } };
static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init enter(void)
{
	return klp_enable_patch(&patch);
}

static void __exit leave(void)
{
}

module_init(enter);
module_exit(leave);
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
