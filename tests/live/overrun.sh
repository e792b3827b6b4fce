#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Overruns without end: the event socket has the smallest buffer there is while somebody else churns links and routes.
# Afterwards the mirror is what the kernel says, it is the same daemon, and no turn of its loop was long.
#
#   OVERRUN_SECONDS, OVERRUN_LINKS, OVERRUN_ROUTES, OVERRUN_SPACES: how long, how much, and how many idle namespaces
#   there are beside the one that is churned
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd python3

seconds=${OVERRUN_SECONDS:-$(pick 20 5)}
links=${OVERRUN_LINKS:-$(pick 2000 200)}
routes=${OVERRUN_ROUTES:-$(pick 50000 10000)}
spaces=${OVERRUN_SPACES:-$(pick 1000 50)}

# stat of the daemon, by a path of keys
number() {
	netctl -j stats | python3 -c 'import functools, json, sys
print(functools.reduce(lambda o, k: o[k], sys.argv[1].split("."), json.load(sys.stdin)))' "$1"
}

in_step() {
	netctl -a verify >"$tmp/verify" 2>&1
}

mkdir "$tmp/conf"
echo 'network: {version: 2}' >"$tmp/conf/a.yaml"
ip link add under type bridge
ip link set under up
netctld_options="--receive-buffer 2304"
netctld_start "$tmp/conf"
pid=$netctld_pid

churned() { # the overruns, the turns
	echo "# overruns $(number events.overruns), losses told $(number namespaces.losses), resynchronisations" \
		"$(number namespaces.resyncs), longest turn $(number loop.longest_turn_us) us (processor time $(number loop.longest_cpu_us) us)"
}

ok 'somebody churns links and routes' "$NETCTLD_BUILD/tests/live/churn" "$seconds" "$links" "$routes" under
ok 'there were overruns' test "$(number events.overruns)" -gt 0
ok 'afterwards the mirror is what the kernel says' wait_until -t 120 in_step
sed -n '$s/^/# /p' "$tmp/verify"
churned
ip link del group 4242
ip link del under

netctl netns add "s{1..$spaces}" >/dev/null
ip netns add churned
ip -n churned link add under type bridge
ip -n churned link set under up
before=$(number requester.dumps)
ok "the same beside $spaces namespaces" ip netns exec churned "$NETCTLD_BUILD/tests/live/churn" "$seconds" "$links" "$routes" under
ok 'all of them are right afterwards' wait_until -t 240 in_step
sed -n '$s/^/# /p' "$tmp/verify"
echo "# dumps since: $(($(number requester.dumps) - before))"
churned
equal 'it was one daemon all the time' "$pid" "$(pgrep -x -P $$ netctld)"
# What counts is the loop's own time: other people's processes take the processor away for longer than that.
limit=$(pick 10000 60000)
ok "no turn took more than $limit us of the processor" test "$(number loop.longest_cpu_us)" -le "$limit"
ok 'it ends cleanly' netctld_stop
done_testing
