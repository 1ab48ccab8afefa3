# Exercise frag-needed/3. Commands for the server, for example:
#   on server ip route get 10.0.0.1
