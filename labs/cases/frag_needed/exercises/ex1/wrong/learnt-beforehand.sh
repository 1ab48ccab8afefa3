# expect: no-frag-needed-direct
# Somebody else's connection meets the small MTU first. For ten minutes all others then start with it, and no longer.
on client bash -c 'exec 3<>/dev/tcp/10.0.0.2/7000; head -c 3000 /dev/zero >&3; head -c 3000 <&3' | wc -c
on client ip route get 10.0.0.2
