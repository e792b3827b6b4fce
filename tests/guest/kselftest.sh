#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In the guest, by kselftest: FOLDER TEST... After each of the kernel's tests all mirrors are what the kernel says.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip ping bash

folder=$1
shift
mkdir "$tmp/conf"
echo 'network: {version: 2}' >"$tmp/conf/a.yaml"
netctld_start "$tmp/conf"
pid=$netctld_pid
# netctld gives every namespace an id, so that theirs comes too late; all else stays as it is.
mkdir "$tmp/tests" && cp "$folder"/*.sh "$tmp/tests" && cd "$tmp/tests" || exit 1
sed -i 's/^\(.*ip netns set .*\)$/\1 || :/' ./*.sh
for test; do
	script=${test%%:*} part=
	[ "$script" = "$test" ] || part="-t ${test#*:}"
	# shellcheck disable=SC2086 # no part, no words
	bash "./$script.sh" $part </dev/null >"$tmp/out" 2>&1
	status=$?
	echo "# $test: exit status $status, $(grep -c '\[ OK \]\|^PASS' "$tmp/out") passed, $(grep -c '\[FAIL\]\|^FAIL' "$tmp/out") failed"
	# One that gave up at once has changed nothing.
	ok "$test did something" grep -q '\[ OK \]\|^PASS\|\[FAIL\]' "$tmp/out"
	ok "after $test: every mirror is what the kernel says" netctl -a verify
done
equal 'it was one daemon all the time' "$pid" "$netctld_pid"
ok 'which is still there' netctl status
ok 'and ends cleanly' netctld_stop
done_testing
