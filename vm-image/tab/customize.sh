#!/bin/sh
# What has to happen to the unpacked guest of the tab? As ../customize.sh does for the VM's.
set -eu
. "$(dirname -- "$0")/common.sh"

boots_from ata_piix sd_mod squashfs overlay
cp /usr/share/seabios/bios.bin "$out/bios.bin"
cp /usr/share/seabios/vgabios-stdvga.bin "$out/vgabios.bin"

# What has to be published with it: which packages these are, of which sources, under which licences.
dpkg-query -W -f '${Package}\n${Version}\n${source:Package}\n${source:Version}\n${Built-Using}\n\n' >"$out/packages"
mkdir "$out/texts"
cp -r /usr/share/common-licenses "$out/texts"
for package in $(dpkg-query -W -f '${Package} '); do
    mkdir "$out/texts/$package"
    cp "/usr/share/doc/$package/copyright" "$out/texts/$package"
done
cleared
rm -r /usr/share/doc /usr/share/common-licenses /usr/share/seabios
