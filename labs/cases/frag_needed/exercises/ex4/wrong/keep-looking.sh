# expect: no-frag-needed
# Looking an exception up does not keep it: the first look after its time deletes it.
(while sleep 0.2; do on client ip route get 10.0.0.2; done) >/dev/null 2>&1 &
