# Exercise rtl8139-tso/1. Commands for the server, for example:
#   on server iptables-legacy -S INPUT

# The download will then be: slow, or fast?
DOWNLOAD=
