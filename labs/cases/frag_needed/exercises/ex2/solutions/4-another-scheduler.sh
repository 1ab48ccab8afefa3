# The services made anew, as a configuration's restart would make them; the scheduler is another matter than the method.
on balancer ipvsadm -C
for port in 443 7000; do
    on balancer ipvsadm -A -t 10.0.0.2:$port -s wlc
    on balancer ipvsadm -a -t 10.0.0.2:$port -r 10.0.0.6:$port -g -w 10
done
