# Exercise rtl8139-tso/2. Commands for the server, for example:
#   on server ethtool -k server-eth0
