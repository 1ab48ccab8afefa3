#!/bin/sh
# Makes the Python environment of these requirements, and before it, if a folder is named for them, the FEW packages that
# host/bundle/ahead.py needs: `python-packages.sh ENVIRONMENT REQUIREMENTS [FOLDER]`.
set -eu
environment=$1 requirements=$2 folder=${3-}
FEW=' filelock markdown-it-py mdurl platformdirs pygments qemu-qmp rich '
pip() { "$environment/bin/python" -m pip install --require-hashes --no-input --disable-pip-version-check "$@"; }

python3 -m venv "$environment"
if [ -n "$folder" ]; then
    awk -v few="$FEW" '/^[a-z]/ { taken = index(few, " " substr($1, 1, index($1, "=") - 1) " ") } taken' \
        "$requirements" >"$environment/few.txt"
    pip --no-deps --target "$folder.part" -r "$environment/few.txt"
    mv "$folder.part" "$folder"
fi
pip -r "$requirements"
for folder in "$environment"/lib/python*/site-packages; do
    echo ../../../tools >"$folder/tools.pth" # host/environment.py puts there what tests need
done
LC_ALL=C ls "$environment"/lib/python*/site-packages >"$environment/packages"
