#!/bin/sh
# Runs a command with the proxies of apt's configuration in its environment, where that has none. mmdebstrap's apt reads the
# environment, and not the configuration that Debian's installer wrote. For others it may be the wrong one: a proxy
# that knows Debian's packages alone.
for scheme in http https; do
    eval "proxy=\${${scheme}_proxy-}"
    [ -n "$proxy" ] || eval "$(apt-config shell proxy "Acquire::$scheme::Proxy" 2>/dev/null)"
    case $proxy in "" | DIRECT | false) ;; *) export "${scheme}_proxy=$proxy" ;; esac
done
exec "$@"
