#!/bin/sh
# Checks programs on a build server: a SARIF and a JUnit file of each, a table, and the worst exit code.
#
#   DPOR_PROGRAMS   paths or patterns, one a line
#   DPOR_FLAGS      options of `dpor check`, between spaces (--keep-going --time-limit=600)
#   DPOR_REPORTS    folder of the reports (dpor-reports)
#
# The worst of 42 (a bug), anything else that is not listed here (wrong use, the tool failed), 4 (unsupported),
# 3 (incomplete), 0. No program is wrong use: a check of nothing would pass for verified.
set -u

dpor_flags=${DPOR_FLAGS---keep-going --time-limit=600}
dpor_reports=${DPOR_REPORTS:-dpor-reports}
dpor_worst=0
dpor_names=""
dpor_table="| program | dpor |
|---|---|"

rank() {
  case $1 in
  0) echo 0 ;;
  3) echo 1 ;;
  4) echo 2 ;;
  42) echo 4 ;;
  *) echo 3 ;;
  esac
}

noted() {
  dpor_table="$dpor_table
| \`$1\` | $2 |"
  [ "$(rank "$3")" -le "$(rank "$dpor_worst")" ] || dpor_worst=$3
}

check() {
  # build/a/x_test is a_x_test: two programs may have the same name.
  dpor_name=${1#./}
  dpor_name=$(printf %s "${dpor_name#build/}" | tr -c 'A-Za-z0-9._-' _)
  while case " $dpor_names " in *" $dpor_name "*) true ;; *) false ;; esac do
    dpor_name=$dpor_name-again
  done
  dpor_names="$dpor_names $dpor_name"
  dpor_output=$(mktemp)
  dpor_code=0
  # Options are words, whatever they look like.
  set -f
  # shellcheck disable=SC2086
  dpor check $dpor_flags --progress=never --sarif "$dpor_reports/$dpor_name.sarif" \
    --junit "$dpor_reports/$dpor_name.xml" "$1" >"$dpor_output" </dev/null || dpor_code=$?
  set +f
  echo "== $1"
  cat "$dpor_output"
  dpor_verdict=$(grep -E '^(verified|no (other )?bug|bug found|incomplete|unsupported)' "$dpor_output" | tail -n 1) ||
    dpor_verdict=""
  rm -f "$dpor_output"
  noted "$1" "${dpor_verdict:-no verdict (exit code $dpor_code)}" "$dpor_code"
}

mkdir -p "$dpor_reports" || exit 2
dpor_newline='
'
dpor_before=$IFS
IFS=$dpor_newline
dpor_checked=0
# The list is taken apart at lines first, and then each pattern is looked up.
set -f
for dpor_pattern in ${DPOR_PROGRAMS:-}; do
  set +f
  dpor_found=0
  # A pattern may match folders and files that are no programs.
  for dpor_program in $dpor_pattern; do
    if [ -f "$dpor_program" ] && [ -x "$dpor_program" ]; then
      case $dpor_program in */*) ;; *) dpor_program=./$dpor_program ;; esac
      dpor_found=1
      IFS=$dpor_before
      check "$dpor_program"
      IFS=$dpor_newline
    fi
  done
  if [ $dpor_found = 0 ]; then
    echo "check.sh: no program is $dpor_pattern" >&2
    noted "$dpor_pattern" "there is no such program" 2
  fi
  dpor_checked=1
done
set +f
IFS=$dpor_before
if [ $dpor_checked = 0 ]; then
  echo "check.sh: DPOR_PROGRAMS names no program" >&2
  dpor_worst=2
fi
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || echo "$dpor_table" >>"$GITHUB_STEP_SUMMARY"
[ -z "${GITHUB_OUTPUT:-}" ] || echo "code=$dpor_worst" >>"$GITHUB_OUTPUT"
exit "$dpor_worst"
