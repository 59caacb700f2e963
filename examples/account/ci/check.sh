#!/bin/sh
# Checks every test that was built. reports/ gets a SARIF and a JUnit file of each. Fails if one of them does.
mkdir -p reports
code=0
for program in build/*_test; do
  name=$(basename "$program")
  dpor check --keep-going --time-limit 600 \
    --sarif "reports/$name.sarif" --junit "reports/$name.xml" "$program" || code=$?
done
exit $code
