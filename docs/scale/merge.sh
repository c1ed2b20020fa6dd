#!/bin/sh
# The report of a campaign from those of its shards, in JSON and as a page; the exit status is the campaign's.
#   REPORTS=reports SHARDS=8 sh merge.sh
set -u
files=
shard=0
while [ "$shard" -lt "${SHARDS:-8}" ]; do
  files="$files $REPORTS/$shard.json"
  shard=$((shard + 1))
done
# Paths of reports have no spaces: they are numbers in one folder.
cd "$REPORTS" || exit 3
files=$(printf '%s\n' $files | sed 's|.*/||')
case $(head -c 6 0.json) in
  '{"id":'*) exec "${AFFIRM:-affirm}" merge $files > merged.jsonl ;;
esac
"${AFFIRM:-affirm}" merge --json --report merged.html --report merged.md $files > merged.json
