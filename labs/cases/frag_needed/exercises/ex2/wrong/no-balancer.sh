# expect: requests-answered
on balancer ipvsadm -C
