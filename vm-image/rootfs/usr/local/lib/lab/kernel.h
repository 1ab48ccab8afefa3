// SPDX-License-Identifier: GPL-2.0
// What does a module see before its first line? What kbuild puts there, and the headers that livepatches
// include, so that all of them are read when the image is made (kernel.h.gch) and not, under emulation, by
// each compilation. A module includes what it needs all the same: kbuild knows nothing of this file.
#include <linux/compiler-version.h>
#include <linux/kconfig.h>
#include <linux/compiler_types.h>
#include <linux/fs.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/socket.h>
#include <linux/splice.h>
