#!/usr/bin/env bash
# A saved session is known by its name and by its content, also when it has another name.
# SPDX-License-Identifier: GPL-3.0-or-later
set -euo pipefail
xml=$1
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/mime/packages"
cp "$xml" "$home/mime/packages/"
update-mime-database "$home/mime"

wanted=$(sed -n 's/.*<mime-type type="\([^"]*\)".*/\1/p' "$xml")
grep -q ":$wanted:\*\.heed$" "$home/mime/globs2" || { echo "*.heed is not $wanted"; exit 1; }
grep -aq "$wanted" "$home/mime/magic" || { echo "there is no magic for $wanted"; exit 1; }
# The words the magic looks for are those the program writes.
grep -rq '"heedmap.session/' "$HEED_SOURCE_DIR/engine" || {
    echo "no source in engine/ writes the schema that the magic looks for"; exit 1; }
