# Exercise frag-needed/2. Commands for the balancer, for example:
#   on balancer ipvsadm -Ln
