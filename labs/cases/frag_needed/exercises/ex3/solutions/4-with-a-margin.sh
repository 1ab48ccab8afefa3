# 1400 is what people take in front of a tunnel when they do not want to count: with timestamps the client's segments
# carry 1388 bytes then, 40 less than would fit, and there is room for another header or two on the way.
on server ip route replace 10.0.0.1/32 dev server-eth0 advmss 1400
