// expect: flags-too-much-from-a-larger-pipe
// The mask of a pipe of 16 at most: a larger one that was used has its newest buffer elsewhere (F_SETPIPE_SZ).
// SPDX-License-Identifier: GPL-2.0
#include <linux/fs.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/pipe_fs_i.h>
#include <linux/socket.h>
#include <linux/splice.h>

static int page_to_socket(struct pipe_inode_info *pipe, struct pipe_buffer *buf, struct splice_desc *desc)
{
	struct file *socket = desc->u.file;
	loff_t position = desc->pos;
	int flags = desc->flags & SPLICE_F_MORE ? MSG_MORE : 0;
	unsigned int mask = min_t(unsigned int, pipe->ring_size, PIPE_DEF_BUFFERS) - 1;
	struct pipe_buffer *newest = &pipe->bufs[(pipe->head - 1) & mask];

	if (!socket->f_op->sendpage)
		return -EINVAL;
	if (desc->len < desc->total_len && buf != newest)
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
