"""The virtual machine: its disk, its snapshot, the guests restored from it, and calls into them."""
