#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In the guest, by kselftest: FOLDER TEST... After each of the kernel's tests all mirrors are what the kernel says. They
# run in a namespace of their own, which netctld watches as well: they give nsids to other namespaces, and end at once
# where netctld's own namespace, in which it has given some itself, is theirs.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip ping bash nsenter

folder=$1
shift
mkdir "$tmp/conf"
echo 'network: {version: 2}' >"$tmp/conf/a.yaml"
netctld_start "$tmp/conf"
pid=$netctld_pid
cd "$folder" || exit 1
ip netns add tests
ip -n tests link set lo up
for test; do
	script=${test%%:*} part=
	[ "$script" = "$test" ] || part="-t ${test#*:}"
	# shellcheck disable=SC2086 # no part, no words
	nsenter --net=/run/netns/tests bash "./$script.sh" $part </dev/null >"$tmp/out" 2>&1
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
