#!/usr/bin/env bash
# run_test.sh AFFIRM_OPT FILECHECK FILE: runs affirm-opt with the options of FILE's first line,
# "// RUN: OPTIONS", and checks its output by the CHECK lines. With -verify-diagnostics the tool
# itself checks the expected errors.
set -euo pipefail
opt=$1 filecheck=$2 file=$3
options=$(sed -n '1s,^// RUN: *,,p' "$file")
[[ $options ]] || { echo "$file: no // RUN: line" >&2; exit 1; }
if [[ $options == *-verify-diagnostics* ]]; then
  # shellcheck disable=SC2086
  exec "$opt" $options "$file" -o /dev/null
fi
# shellcheck disable=SC2086
"$opt" $options "$file" | "$filecheck" "$file"
