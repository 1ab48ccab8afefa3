// SPDX-License-Identifier: GPL-2.0
// What did the fix of January 2013 add? This livepatch takes it away: a page that splice(2) hands to
// a socket is "not the last" whenever the caller asked for more bytes than the page holds, also if
// the pipe has no other page to follow. Compare pipe_to_sendpage() in fs/splice.c.

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
	if (desc->len < desc->total_len)	// and nobody asks whether the pipe is empty
		flags |= MSG_SENDPAGE_NOTLAST;
	return socket->f_op->sendpage(socket, buf->page, buf->offset, desc->len, &position, flags);
}

static struct klp_func functions[] = {
	{ .old_name = "pipe_to_sendpage", .new_func = page_to_socket },
	{ }
};
static struct klp_object objects[] = { { .funcs = functions }, { } };	// no name: the kernel itself
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
MODULE_DESCRIPTION("3.7's condition in pipe_to_sendpage()");
