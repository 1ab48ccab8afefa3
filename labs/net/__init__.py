"""Hosts, links, cards and sockets, and what their kernels say of them."""
