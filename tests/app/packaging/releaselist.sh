#!/usr/bin/env bash
# The release list of the AppStream file follows CHANGELOG.md, whatever signs stand in it.
# SPDX-License-Identifier: GPL-3.0-or-later
set -euo pipefail
cmake=$1 script=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat > "$folder/CHANGELOG.md" <<'TEXT'
# Changelog

## [Unreleased]
- not yet

## [1.2.0] - 2026-02-03
### Added
- `--mask` takes `[1;2]` & <more>,
  on two lines.
- **Bold**.

## [1.1.0] - 2026-01-01
TEXT
cat > "$folder/wanted" <<'TEXT'
  <releases>
    <release version="1.2.0" date="2026-02-03">
      <description>
        <ul>
          <li>--mask takes [1;2] &amp; &lt;more&gt;, on two lines.</li>
          <li>Bold.</li>
        </ul>
      </description>
    </release>
    <release version="1.1.0" date="2026-01-01">
    </release>
  </releases>
TEXT
"$cmake" "-DCHANGELOG=$folder/CHANGELOG.md" -P "$script" > "$folder/made"
diff -u "$folder/wanted" "$folder/made"

printf '# Changelog\n\n## [Unreleased]\n- not yet\n' > "$folder/CHANGELOG.md"
"$cmake" "-DCHANGELOG=$folder/CHANGELOG.md" -P "$script" > "$folder/made"
[[ ! -s $folder/made ]] || { echo "a changelog without a release gave a list"; exit 1; }
