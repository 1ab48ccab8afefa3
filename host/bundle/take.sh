#!/bin/sh
# Takes a bundle into the cache: `take.sh FILE CACHE`. Plain sh, because there may be no Python environment yet. What is there
# already stays; what comes is unpacked aside, compared with its checksums, and only then moved to where ./lab looks.
set -eu
bundle=$1 cache=$2 aside=$2/bundle.part
say() { printf '%s\n' "$*" >&2; }
end() {
    say "bundle: $1"
    say "  Next: $2"
    exit 3
}
listed() { printf '%s\n' "$sums" | sed '/^#/d; s/^[0-9a-f]*  //; s,/.*,,' | sort -u; }

# Of two bundles' wheels and packages, ./lab takes those that were used last.
used() { (cd "$cache" && listed | xargs touch -c --); }

# Whether it is here: host/store.py lists the files of a folder when it is whole; of the site they are compared.
whole() {
    [ "$1" = site ] || { [ -e "$cache/$1/files.json" ] && return; }
    [ "$1" = site ] && printf '%s\n' "$sums" | sed -n '/^[0-9a-f]*  site\//p' |
        (cd "$cache" && sha256sum --check --status --strict 2>/dev/null)
}

[ -f "$bundle" ] && [ -r "$bundle" ] || end "expected a file, found none that can be read: $bundle" "ls -l $bundle"
sums=$(tar --force-local -xzOf "$bundle" --occurrence=1 SHA256SUMS 2>/dev/null) && [ -n "$sums" ] ||
    end "expected what ./lab bundle writes, found something else: $bundle" "./lab bundle FILE, where there is a network"
mkdir -p -m 700 "$cache"
exec 9>"$cache/bundle.lock"
flock -n 9 || { say "bundle: another ./lab takes one in; waiting"; flock 9; }
lacking=
for folder in $(listed); do
    whole "$folder" || lacking=1
done
[ "$lacking" ] || { used; exit 0; }

theirs=$(printf '%s\n' "$sums" | sed -n '1s/.* of commit //p')
ours=$(git -c safe.directory='*' -C "$(dirname -- "$0")" rev-parse HEAD 2>/dev/null || true)
[ -z "$ours" ] || [ -z "$theirs" ] || [ "$ours" = "$theirs" ] ||
    say "bundle: of commit $(printf %.8s "$theirs"), and this is $(printf %.8s "$ours"): what differs will be fetched"
started=$(date +%s)
say "bundle: taking it in (once, half a minute)"
trap 'rm -rf "$aside"' EXIT
for signal in HUP:129 INT:130 TERM:143; do
    trap "exit ${signal#*:}" "${signal%:*}"
done
rm -rf "$aside"
needed=$(printf '%s\n' "$sums" | sed -n '1s/^# \([0-9]*\) KiB.*/\1/p')
free=$(df --output=avail -k "$cache" | tail -n 1)
[ "$free" -gt "$needed" ] ||
    end "needs $((needed / 1024)) MiB in $cache, and $((free / 1024)) MiB are free there" "free some, or set XDG_CACHE_HOME"
mkdir -m 700 "$aside"
said=$(tar --force-local -xzf "$bundle" -C "$aside" --no-same-owner 2>&1) ||
    end "it could not be unpacked: $(printf '%s\n' "$said" | head -n 1)" "df -h $cache, or copy $bundle once more"
said=$(cd "$aside" && sha256sum --check --quiet --strict SHA256SUMS 2>&1) ||
    end "it is damaged: $(printf '%s\n' "$said" | head -n 1)" "copy $bundle once more"
for folder in $(listed); do
    whole "$folder" && continue
    rm -rf "$cache/$folder"
    mv "$aside/$folder" "$cache/$folder"
done
used
say "bundle: taken in, $(($(date +%s) - started)) s; the book is $cache/site/index.html"
