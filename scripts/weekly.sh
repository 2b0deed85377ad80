#!/usr/bin/env bash
# The weekly job: scan the newest crawl of a folder, resolve, report, compare with the last run, keep the tables of the last runs.
#
#   scripts/weekly.sh [--keep N] [--ready FILE] CRAWLS STATE [SCAN OPTION...]
#
#   CRAWLS        a folder with a folder a crawl, whose names sort by date (CC-MAIN-2026-43, 2026-10-19)
#   STATE         a folder of this job: runs/, reports/, changes/, done/
#   --keep N      tables of that many runs stay, at least 2 [default: 4]; reports and comparisons all stay
#   --ready FILE  only crawls that have this file are taken: their download is complete
#   SCAN OPTION   handed to `robocensus scan` as they are, such as --agents FILE
#
# Exit codes: 0 done, or nothing new; 1 failed; 2 wrong usage; 3 done, but some input could not be read to its end; 4 done, but
# there is no comparison with the last run; 75 another run is at work. After 1, or when it was killed, the same command goes on
# where it stopped. ROBOCENSUS names another binary than the one on PATH.
set -uo pipefail

usage() {
  echo "weekly: $1" >&2
  echo "usage: weekly.sh [--keep N] [--ready FILE] CRAWLS STATE [SCAN OPTION...]" >&2
  exit 2
}

say() { echo "weekly: $*" >&2; }

fail() {
  say "$1"
  exit "${2:-1}"
}

robocensus=${ROBOCENSUS:-robocensus}
keep=4
ready=
while [ $# -gt 0 ]; do
  case $1 in
    --keep) [ $# -ge 2 ] || usage "--keep needs a number"; keep=$2; shift 2 ;;
    --ready) [ $# -ge 2 ] || usage "--ready needs a file name"; ready=$2; shift 2 ;;
    --help) sed -n '2,17s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --) shift; break ;;
    -*) usage "there is no option $1 here; options of scan go behind STATE" ;;
    *) break ;;
  esac
done
[ $# -ge 2 ] || usage "CRAWLS and STATE are needed"
crawls=$1 state=$2
shift 2
[[ $keep =~ ^[0-9]{1,4}$ ]] && [ "$keep" -ge 2 ] || usage "--keep is a number from 2 on"
[ -d "$crawls" ] || usage "$crawls is no folder"
command -v "$robocensus" > /dev/null || usage "there is no program $robocensus; name it in ROBOCENSUS"
command -v flock > /dev/null || fail "flock (util-linux) is needed"

mkdir -p "$state"/{runs,reports,changes,done} || fail "cannot write to $state"
# Whatever this job starts holds the lock too, so a scan that outlives a killed script still keeps others away.
exec 9> "$state/.lock" || fail "cannot write to $state"
flock -n 9 || fail "another run is at work on $state" 75

newest=
while IFS= read -r name; do
  if [ -z "$ready" ] || [ -e "$crawls/$name/$ready" ]; then newest=$name; fi
done < <(cd "$crawls" && for folder in */; do [ -d "$folder" ] && printf '%s\n' "${folder%/}"; done | LC_ALL=C sort -V)
[ -n "$newest" ] || fail "no crawl in $crawls is ready"
if [ -e "$state/done/$newest" ]; then
  say "$newest is done already"
  exit 0
fi
last=
while IFS= read -r name; do
  [ "$name" != "$newest" ] && [ -f "$state/runs/$name/manifest.json" ] && last=$name
done < <(ls "$state/done" | LC_ALL=C sort -V)

run=$state/runs/$newest
code=0
say "scan $newest"
"$robocensus" scan "$crawls/$newest" -o "$run" --root "$crawls/$newest" --no-resolve --progress never "$@"
case $? in
  0) ;;
  3) code=3 ;;
  2) fail "scan does not take these options" 2 ;;
  *) fail "scan of $newest failed; the same command goes on where it stopped" ;;
esac

if ! grep -q '"resolution"' "$run/manifest.json"; then
  say "resolve $newest"
  "$robocensus" resolve "$run" --progress never > /dev/null || fail "resolve of $newest failed"
fi

# A folder under its final name is complete.
publish() {
  rm -rf "$2" && mv "$1" "$2" || fail "cannot write $2"
}

say "report $newest"
part=$state/reports/.$newest.part
rm -rf "$part"
"$robocensus" report "$run" -o "$part" > /dev/null || fail "report of $newest failed"
publish "$part" "$state/reports/$newest"

if [ -n "$last" ]; then
  say "compare $last with $newest"
  part=$state/changes/.$last..$newest.part
  rm -rf "$part"
  if "$robocensus" compare "$state/runs/$last" "$run" -o "$part" > /dev/null; then
    publish "$part" "$state/changes/$last..$newest"
  else
    say "no comparison of $last with $newest"
    rm -rf "$part"
    code=4
  fi
fi

# Written last: until it is there, the job is to be done.
touch "$state/done/$newest" || fail "cannot write $state/done/$newest"

ls "$state/done" | LC_ALL=C sort -Vr | while IFS= read -r name; do
  [ -d "$state/runs/$name" ] || continue
  if [ "$keep" -gt 0 ]; then
    keep=$((keep - 1))
  else
    say "remove the tables of $name"
    rm -rf "${state:?}/runs/$name"
  fi
done
say "$newest is done"
exit "$code"
