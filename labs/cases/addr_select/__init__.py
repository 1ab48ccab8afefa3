"""Case 4: why does a host that owns hundreds of IPv6 addresses think so long before each packet?"""
