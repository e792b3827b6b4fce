#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Long jobs: how far they are, who cancels them, what is left, and whether others get their turn. The deletion of links
# is what takes long here: some ten milliseconds each, in a kernel with several processors. Then ten batches that are
# cancelled, killed or refused at points by chance (NETCTLD_SEED): the state is what the report says.

. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip python3 shuf
own_machine "$@"

asks=$(pick 60 20)
mkdir -m 755 "$tmp/conf"
export NETCTLD_TEST_FAULT="$tmp/fault"
netctld_start "$tmp/conf"
jobs=$NETCTLD_SOURCE/tests/live/jobs.py

make_links() { # N
	seq -f 'link add d%g type ifb' "$1" | netctl batch
	seq -f 'link del d%g' "$1" >"$tmp/del"
}

links() {
	ip -br link show type ifb | grep -c '^d'
}

is_running() { # WHAT
	netctl -j status | grep -q "\"what\":\"$1\",\"state\":\"running\""
}

is_idle() {
	netctl -j status | grep -q '"jobs":\[\]'
}

number_of() { # JSON KEY
	printf '%s\n' "$1" | sed "s/.*\"$2\":\([0-9]*\).*/\1/"
}

# As many links as take about two seconds in this kernel, and some hundred milliseconds.
make_links 20
began=$(date +%s%3N)
netctl batch "$tmp/del"
each=$((($(date +%s%3N) - began) / 20 + 1))
many=$((2000 / each)) few=$((500 / each))
if [ "${NETCTLD_FULL:-0}" = 1 ]; then
	many=10000 asks=500
fi
[ "$many" -ge 60 ] || many=60
[ "$few" -ge 15 ] || few=15
echo "# $each ms for each deletion: $many and $few links"

# What is seen on a terminal, and that nothing is elsewhere.
make_links "$many"
ok 'a batch on a terminal' python3 "$jobs" tty 50 "$tmp/seen" netctl batch "$tmp/del"
ok 'there is a bar, and a rate' grep -Eq '^batch \[=*> *\] +[0-9]+ % [0-9]+/[0-9]+, [0-9]+/s' "$tmp/seen"
equal 'no line is wider than the terminal' '' "$(sed 's/\x1b\[K//g' "$tmp/seen" | awk 'length($0) > 50')"
make_links "$many"
netctl batch "$tmp/del" 2>"$tmp/err"
equal 'nothing is said elsewhere' '' "$(cat "$tmp/err")"

# Records, an interrupt that lets it go on, and another client that ends it.
make_links "$many"
setsid python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' netctl -j batch "$tmp/del" >"$tmp/out" 2>"$tmp/records" &
client=$!
ok 'records of progress' wait_until -t 20 grep -q '"what":"batch","state":"running"' "$tmp/records"
kill -INT "$client"
wait "$client"
equal 'interrupted: its status' 130 $?
ok 'it says which job goes on' grep -q 'interrupted; job [0-9]* goes on' "$tmp/records"
ok 'and it does' is_running batch
ok 'another client cancels it' netctl cancel
ok 'it ends' wait_until -t 20 is_idle
left=$(links)
ok "some are left: $left of $many" test "$left" -gt 0 -a "$left" -lt "$many"

netctl -j batch --cancel-on-interrupt -force "$tmp/del" >"$tmp/out" 2>"$tmp/records" &
client=$!
wait_until -t 20 grep -q '"state":"running"' "$tmp/records"
kill -INT "$client"
wait "$client"
equal 'cancelled by an interrupt: exit status 4' 4 $?
out=$(cat "$tmp/out")
ok 'it says so' grep -q '"state":"cancelled"' "$tmp/out"
equal 'what was done is what it says' "$((left - $(number_of "$out" done)))" "$(links)"
equal 'each line is accounted for' "$many" \
	"$(($(number_of "$out" done) + $(number_of "$out" failed) + $(number_of "$out" not_done)))"
refute 'there is no more to be cancelled' netctl cancel
netctl batch -force "$tmp/del" 2>/dev/null

# An apply goes back.
{
	echo 'network: {version: 2, ifb-devices: {'
	seq -f 'd%g: {},' "$few"
	echo '}}'
} >"$tmp/links.yaml"
echo 'network: {version: 2}' >"$tmp/none.yaml"
ok 'links of a configuration' netctl apply "$tmp/links.yaml"
netctl -j apply "$tmp/none.yaml" >"$tmp/out" 2>/dev/null &
client=$!
wait_until -t 20 is_running apply
ok 'an apply is cancelled' netctl cancel
wait "$client"
equal 'its exit status' 4 $?
ok 'it says so' grep -q 'cancelled; the state is as before' "$tmp/out"
equal 'all links are as before' "$few" "$(links)"
ok 'nothing differs from the configuration' netctl drift
ok 'and what was cancelled can be done' netctl apply "$tmp/none.yaml"
equal 'none is left' 0 "$(links)"

# Names.
netctl -j netns add "p{1..2000}" >"$tmp/out" 2>/dev/null &
client=$!
if wait_until -t 5 is_running netns-add 2>/dev/null && netctl cancel 2>/dev/null; then
	wait "$client"
	out=$(cat "$tmp/out")
	equal 'names: what was made is what it says' "$(number_of "$out" done)" "$(ip netns list | grep -c '^p')"
else
	wait "$client"
fi
ip netns list | sed -n 's/^\(p[0-9]*\).*/netns del \1/p' | netctl batch

# Others get their turn.
make_links "$many"
netctl batch "$tmp/del" &
client=$!
wait_until -t 20 is_running batch
echo "# link show beside it, ms (median, p99, longest): $(python3 "$jobs" times "$asks" netctl link show dev lo | tee "$tmp/show")"
printf 'addr replace 10.9.9.9/32 dev lo\n' >"$tmp/line"
echo "# a batch of one line beside it, ms: $(python3 "$jobs" times 20 netctl batch "$tmp/line" | tee "$tmp/one")"
ok 'the long one is still on' is_running batch
ok 'and cancelled' netctl cancel
wait "$client"
ok 'link show: p99 within 500 ms' awk '{exit !($2 < 500)}' "$tmp/show"
ok 'a batch of one line: p99 within a second' awk '{exit !($2 < 1000)}' "$tmp/one"

# Beside an apply, too.
{
	echo 'network: {version: 2, ifb-devices: {'
	seq -f 'd%g: {},' "$many"
	echo '}}'
} >"$tmp/many.yaml"
ok 'a large configuration' netctl apply "$tmp/many.yaml"
netctl apply "$tmp/none.yaml" >/dev/null &
client=$!
wait_until -t 20 is_running apply
echo "# a batch of one line beside an apply, ms: $(python3 "$jobs" times 20 netctl batch "$tmp/line" | tee "$tmp/one")"
ok 'the apply is still on' is_running apply
ok 'a batch of one line beside it: p99 within a second' awk '{exit !($2 < 1000)}' "$tmp/one"
ok 'it is cancelled' netctl cancel
wait "$client"
ok 'and done again' netctl apply "$tmp/none.yaml"

# The queue has an end, which is told.
make_links "$many"
each=$((many / 20))
for i in $(seq 20); do
	sed -n "$((i * each - each + 1)),$((i * each))p" "$tmp/del" >"$tmp/del.$i"
	netctl batch -force "$tmp/del.$i" >/dev/null 2>"$tmp/busy.$i" &
done
ok 'too many jobs are refused' wait_until -t 10 grep -q 'Too many jobs' "$tmp"/busy.*
while netctl cancel "$(netctl -j status | sed -n 's/.*"jobs":\[{"job":\([0-9]*\).*/\1/p')" 2>/dev/null; do
	:
done
ok 'all of them end' wait_until -t 60 is_idle
seq -f 'link del d%g' "$many" | netctl batch -force 2>/dev/null

# Ten points by chance, of batches and applies: so many links are gone when it happens.
seed=${NETCTLD_SEED:-$(date +%N | sed 's/^0*//')}
echo "# seed $seed"
RANDOM=$((seed % 32768))

is_reached() {
	[ "$(links)" -le $((few - at)) ]
}

# COMMAND...: in the background, until that point. Sets $client.
begin() {
	"$@" >"$tmp/out" 2>"$tmp/err" &
	client=$!
	wait_until -t 20 is_reached || :
}

kill_daemon() {
	kill -KILL "$netctld_pid"
	wait "$client"
	status=$?
	wait "$netctld_pid" 2>/dev/null
	netctld_start "$tmp/conf"
	wait_until -t 20 is_idle
}

# It goes on without whoever asked for it.
client_killed() { # TITLE COMMAND...
	_title=$1
	shift
	begin "$@"
	kill -KILL "$client" 2>/dev/null
	wait "$client" 2>/dev/null
	ok "$_title: the job ends" wait_until -t 60 is_idle
	equal "$_title: all is done" 0 "$(links)"
}

batch_point() { # I HOW
	make_links "$few"
	case $2 in
	0)
		sed -i "${at}i link del nowhere" "$tmp/del"
		out=$(netctl -j batch "$tmp/del" 2>/dev/null)
		equal "$1: a batch refused at $at: the report" "$((at - 1)) 1" "$(number_of "$out" done) $(number_of "$out" failed)"
		equal "$1: what is left" "$((few - at + 1))" "$(links)"
		;;
	1)
		begin netctl -j batch "$tmp/del"
		netctl cancel 2>/dev/null
		wait "$client"
		equal "$1: a batch cancelled at $at: what is left" "$((few - $(number_of "$(cat "$tmp/out")" done)))" "$(links)"
		;;
	2)
		client_killed "$1: the client of a batch killed at $at" netctl batch "$tmp/del"
		;;
	3)
		begin netctl batch "$tmp/del"
		kill_daemon
		ok "$1: the daemon killed at $at of a batch: exit status 3, or done before" test "$status" = 3 -o "$(links)" = 0
		;;
	esac
}

apply_point() { # I HOW
	netctl apply "$tmp/links.yaml" >/dev/null
	case $2 in
	0)
		echo "refuse $at" >"$tmp/fault"
		netctl apply "$tmp/none.yaml" >/dev/null 2>&1
		equal "$1: an apply refused at $at: exit status 4" 4 $?
		rm "$tmp/fault"
		equal "$1: the state is as before" "$few" "$(links)"
		;;
	1)
		begin netctl apply "$tmp/none.yaml"
		netctl cancel 2>/dev/null
		wait "$client"
		equal "$1: an apply cancelled at $at: as before, or done" "$([ $? = 4 ] && echo "$few" || echo 0)" "$(links)"
		;;
	2)
		client_killed "$1: the client of an apply killed at $at" netctl apply "$tmp/none.yaml"
		;;
	3)
		begin netctl apply "$tmp/none.yaml"
		kill_daemon
		left=$(links)
		ok "$1: the daemon killed at $at of an apply: as before, or done" test "$left" = "$few" -o "$left" = 0
		;;
	esac
}

for i in $(seq 10); do
	at=$((RANDOM % (few - 2) + 1))
	if [ "$i" -le 5 ]; then
		batch_point "$i" $((i % 4))
	else
		apply_point "$i" $((i % 4))
	fi
	ok "$i: the mirror is right" netctl verify
	ok "$i: the next apply converges" netctl apply "$tmp/links.yaml"
	ok "$i: and there is nothing more to do" sh -c "netctl apply '$tmp/links.yaml' | grep -q '^unchanged'"
	netctl apply "$tmp/none.yaml" >/dev/null
	seq -f 'link del d%g' "$few" | netctl batch -force 2>/dev/null
done

done_testing
