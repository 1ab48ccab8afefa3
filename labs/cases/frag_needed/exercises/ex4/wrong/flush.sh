# expect: ICMPs still ask for smaller packets
on client ip route flush cache
