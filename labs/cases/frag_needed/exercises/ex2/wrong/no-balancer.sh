# expect: expected every request to be answered
on balancer ipvsadm -C
