#!/bin/sh
# apt-get as root, by sudo where we are not, with the proxies of our environment, which sudo drops. They go by a file that
# nobody else reads, because everybody reads a command line, and a proxy's address may hold a password. What the machine's
# own configuration of apt says comes after that file, and wins: apt.conf(5).
set -eu
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
settings=$(mktemp)
trap 'rm -f "$settings" "$settings.list"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
for scheme in http https; do
    eval "proxy=\${${scheme}_proxy-}"
    [ -z "$proxy" ] || printf 'Acquire::%s::Proxy "%s";\n' "$scheme" "$proxy"
done >"$settings"
# A bundle has packages: they are the only ones then, and the machine's own lists stay as they are.
if [ -n "${LAB_PACKAGES-}" ]; then
    printf 'deb [trusted=yes] copy:%s ./\n' "$(printf '%s' "$LAB_PACKAGES" | sed 's/ /%20/g')" >"$settings.list"
    cat >>"$settings" <<END
Dir::Etc::SourceList "$settings.list";
Dir::Etc::SourceParts "/dev/null";
APT::Get::List-Cleanup "0";
APT::Sandbox::User "root";
END
fi
$sudo env DEBIAN_FRONTEND=noninteractive APT_CONFIG="$settings" ${no_proxy:+"no_proxy=$no_proxy"} apt-get "$@"
