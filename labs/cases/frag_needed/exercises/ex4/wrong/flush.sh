# expect: no-frag-needed
on client ip route flush cache
