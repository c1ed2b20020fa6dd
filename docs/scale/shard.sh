#!/bin/sh
# One shard of a campaign: its report becomes REPORTS/SHARD.json when it is whole. A shard that has its report is done.
#   CAMPAIGN='fuzz hlo --seed 7 --runs 1000' SHARD=3 SHARDS=8 REPORTS=reports sh shard.sh
# CAMPAIGN is read by a shell. INPUT, where it is set, is the standard input (for `equiv --jsonl`).
set -u
report=$REPORTS/$SHARD.json
[ ! -e "$report" ] || exit 0
mkdir -p "$REPORTS"
case $CAMPAIGN in
  equiv*) json= ;;
  *) json=--json ;;
esac
eval "${AFFIRM:-affirm} $CAMPAIGN $json --shard $SHARD/$SHARDS" < "${INPUT:-/dev/null}" > "$report.part"
status=$?
# 1 and 2 are findings: the shard has done its work, and merge.sh says so.
[ "$status" -le 2 ] || exit "$status"
mv "$report.part" "$report"
