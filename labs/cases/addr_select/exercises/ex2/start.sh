# Exercise addr-select/2. Commands for the node, for example:
#   on node ip -6 route show
