#!/usr/bin/env bash
# The hook takes Conventional Commits and refuses the rest with a reason.
# SPDX-License-Identifier: GPL-3.0-or-later
set -euo pipefail
hook=$1
file=$(mktemp)
trap 'rm -f "$file"' EXIT

takes() { printf '%s\n\nWhy.\n' "$1" > "$file"; "$hook" "$file" || { echo "refused: $1"; exit 1; }; }
refuses() {
    printf '%s\n' "$1" > "$file"
    if "$hook" "$file" 2>/dev/null; then echo "taken: $1"; exit 1; fi
}

takes 'feat(mask): windows that keep whole documents'
takes 'fix: an empty text no longer hangs'
takes 'refactor(ui/views)!: the map draws tiles only'
takes 'Merge branch main'
refuses 'Update things'
refuses 'feat: Ends with a full stop.'
refuses 'feature: an unknown type'
refuses 'fix(Mask Area): brackets hold small letters'
refuses "fix: $(printf 'x%.0s' {1..120})"
refuses ''
