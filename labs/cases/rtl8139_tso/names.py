"""What are this case's hosts, addresses and sizes? Known without Mininet, by what draws and judges."""

HOSTS = ("router", "home", "client", "server", "mended", "beside")
WIDE_MTU, NARROW_MTU = 1500, 1420
CLAMPED_MSS = 1320
SMALL_MSS = range(140, 203)  # of other readers; for less e1000's driver would need more descriptors than its ring has
CLIENT = "10.8.9.2"
SERVERS = {"server": "10.8.1.2", "mended": "10.8.2.2", "beside": "10.8.3.2"}
