# Exercise frag-needed/1. Commands for the client, for example:
#   on client ip route get 10.0.0.2
