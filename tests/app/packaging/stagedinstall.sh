#!/usr/bin/env bash
# Installs into an empty folder, moves it, and starts the program from there.
# SPDX-License-Identifier: GPL-3.0-or-later
set -euo pipefail
cmake=$1 build=$2 id=$3 version=$4
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

for component in Runtime Backends; do
    "$cmake" --install "$build" --prefix "$stage/first" --component "$component" >/dev/null
done
mv "$stage/first" "$stage/moved here"
root="$stage/moved here"

for file in bin/heedmap "share/applications/$id.desktop" "share/metainfo/$id.metainfo.xml" \
    "share/mime/packages/$id.xml" "share/icons/hicolor/scalable/apps/$id.svg" \
    "share/icons/hicolor/16x16/apps/$id.png" "share/icons/hicolor/512x512/apps/$id.png" \
    share/man/man1/heedmap.1.gz \
    share/bash-completion/completions/heedmap share/zsh/vendor-completions/_heedmap share/doc/heedmap/copyright; do
    [[ -f $root/$file ]] || { echo "$file was not installed"; exit 1; }
done

cd "$stage"
unset HEED_BACKEND_DIR
"$root/bin/heedmap" --version | grep -F "$version"
"$root/bin/heedmap" backends
# The backend that was installed with it, found relative to the program.
"$root/bin/heedmap" backends | grep -w cpu || { echo "the installed cpu backend was not found"; exit 1; }
