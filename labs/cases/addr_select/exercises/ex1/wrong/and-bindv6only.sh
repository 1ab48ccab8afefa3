# expect: only-the-setting
# The setting is right, but services that start from now on with one socket for both families have no IPv4 any more.
for setting in conf.node-eth0.use_oif_addrs_only bindv6only; do
    on node sysctl -q -w "net.ipv6.$setting=1"
done
