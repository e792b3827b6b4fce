#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The same names and ifindexes of links in 500 namespaces, links moved between them by ip and by netctl, namespaces that
# come and go, and some without a name: what netctl tells of all of them is compared with the kernel's word after each of
# many rounds. NS_COUNT, NS_ROUNDS and NS_SEED, if set: as said.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
. "$NETCTLD_SOURCE/tests/live/nslib.sh"
need_cmd ip awk shuf python3

count=${NS_COUNT:-$(pick 500 60)}
rounds=${NS_ROUNDS:-$(pick 20 6)}
seed=${NS_SEED:-$(date +%s)}
moves=20 # in a round
echo "# seed $seed (NS_SEED)"

# A process in a namespace without a name; its pid is $held and comes to $nameless.
nameless=''
hold() { # COMMAND...: which ends by telling that it is there
	"$@" sh -c 'echo ready; exec sleep 1000000' >"$tmp/held" &
	held=$!
	at_exit "kill $held"
	wait_until grep -q ready "$tmp/held"
	nameless="$nameless $held"
}

kernel_says() {
	set --
	for _pid in $nameless; do
		set -- "$@" -p "$_pid=pid:$_pid"
	done
	"$NSWALK" "$@" -p "$$=home"
}

same_as_kernel() {
	# Namespaces without a name are looked for when somebody asks for them.
	[ -z "$nameless" ] || netctl netns list all >"$tmp/compared" 2>&1 || return 1
	netctl -a -j link >"$tmp/netctl" 2>"$tmp/compared" || return 1
	kernel_says >"$tmp/walk"
	"$NETCTLD_SOURCE/tests/live/ns_compare.py" "$tmp/walk" "$tmp/netctl" >"$tmp/compared" 2>&1
}

compare() { # TEXT
	ok "$1: all as the kernel says" wait_until -t 30 same_as_kernel
	tail -n 5 "$tmp/compared" | sed 's/^/# /'
}

# The same with ip's and netctl's JSON, for five namespaces at random.
sample() { # ROUND
	for _space in $(find /run/netns -mindepth 1 -printf '%f\n' | sort | shuf -n 5 --random-source="$tmp/dice"); do
		ip -j -d -n "$_space" link >"$tmp/link" && ip -j -n "$_space" addr >"$tmp/addr" &&
			netctl -j -n "$_space" link >"$tmp/our-link" && netctl -j -n "$_space" address >"$tmp/our-addr" &&
			"$NETCTLD_SOURCE/tests/live/json_compare.py" \
				"$tmp/link" "$tmp/our-link" "$tmp/addr" "$tmp/our-addr" || {
			echo "in $_space"
			return 1
		}
	done
}

# Commands for a round, a line each, from what is there (kernel_says). "?" is a name that is nowhere else.
make_commands() { # ROUND
	awk -v seed="$((seed + $1))" -v round="$1" -v moves="$moves" '
		BEGIN {srand(seed)}
		function any(n) {return 1 + int(rand() * n)}
		$2 == "netns" && $1 !~ /^(home|pid:)/ {names[++n] = $1}
		$2 == "link" && $4 != "lo" && $1 !~ /^(home|pid:)/ {where[++links] = $1; what[links] = $4; index_of[links] = $3}
		END {
			for (i = 1; i <= moves; i++) {
				l = any(links); a = where[l]; b = names[any(n)]; new = "m" round "-" i; r = rand()
				if (r < 0.15) print "ip -n", a, "link set dev", what[l], "netns", b
				else if (r < 0.35) print "ip -n", a, "link set dev", what[l], "netns", b, "name", new
				else if (r < 0.50) print "netctl -n", a, "link move dev", what[l], "netns", b
				else if (r < 0.70) print "netctl -n", a, "link move dev", what[l], "netns", b, "name", new
				else if (r < 0.76) print "ip -n", a, "link set dev", what[l], "up"
				else if (r < 0.80) print "ip -n", a, "link set dev", what[l], "name", new
				else if (r < 0.84) print "ip -n", a, "link del dev", what[l]
				else if (r < 0.90) print "ip -n", a, "link add name", new, "index", 100 + any(4), "type veth peer name", new "p"
				else if (r < 0.92) print "ip netns del", a
				else if (r < 0.94) print "netctl netns del", a
				else if (r < 0.97) print "ip netns add", new
				else print "netctl netns add", new
			}
		}' "$tmp/walk"
}

# Some must be refused: the name is taken where it is to go, or an earlier one took the link away.
run_commands() {
	done_netctl=0 done_ip=0 refused=0
	while read -r tool rest; do
		# shellcheck disable=SC2086 # words
		if $tool $rest >>"$tmp/commands.log" 2>&1 </dev/null; then
			[ "$tool" = ip ] && done_ip=$((done_ip + 1)) || done_netctl=$((done_netctl + 1))
		else
			refused=$((refused + 1))
		fi
	done <"$tmp/commands"
	echo "# by ip $done_ip, by netctl $done_netctl, refused $refused"
}

link_of() { # NETNS NAME: its ifindex
	"$NSWALK" "$1" | awk -v name="$2" '$2 == "link" && $4 == name {print $3}'
}

# What shuf draws from, the same for the same seed.
awk -v seed="$seed" 'BEGIN {srand(seed); for (i = 0; i < 20000; i++) printf "%c", 33 + int(rand() * 90)}' >"$tmp/dice"
for i in $(seq 1 "$count"); do
	echo "netns add s$i"
	echo "link add name e0 index 100 netns s$i type veth peer name e1 index 101 netns s$i"
done >"$tmp/batch"
ok "$count namespaces with the same links" ip -batch "$tmp/batch"
ok 'in ours, too' ip link add name e0 index 100 type veth peer name e1 index 101
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
compare 'found at the start'

# Without a name: a process's own, and one whose name is taken away while a process is in it.
hold unshare --net
ip -n s1 link set dev e0 netns "$held" name from-s1
nsenter --net="/proc/$held/ns/net" ip link add name e0 index 101 type veth peer name e1 index 102
hold ip netns exec s2
ip netns del s2
compare 'without a name'

# One by one, so that the outcome is known.
ip netns add a
ip netns add b
ip -n a link add name x index 300 type veth peer name y index 301
ip -n b link add name y index 302 type veth peer name z index 303
ok 'move: as it is' netctl -n a link move dev x netns b
equal 'move: it keeps name and ifindex' 300 "$(link_of b x)"
equal 'move: and is no more where it was' '' "$(link_of a x)"
refute 'move: where its name is taken' netctl -n a link move dev y netns b
equal 'move: refused, it stays' 301 "$(link_of a y)"
equal 'move: and the other is as before' 302 "$(link_of b y)"
ok 'move: by another name' netctl -n a link move dev y netns b name w
equal 'move: it has that name' 301 "$(link_of b w)"
ip -n a link add name v index 303 type veth peer name u
ok 'move: where its ifindex is taken' netctl -n a link move dev v netns b
refute 'move: it gets another' test "$(link_of b v)" = 303
refute 'move: what is not there' netctl -n a link move dev nothing netns b
refute 'move: to where nothing is' netctl -n b link move dev v netns nowhere
ok 'move: from home' netctl link move dev e1 netns b name e1-home
equal 'move: from home: it is there' 101 "$(link_of b e1-home)"
compare 'moved'

total=0
for round in $(seq 1 "$rounds"); do
	make_commands "$round" >"$tmp/commands"
	run_commands
	total=$((total + done_netctl))
	compare "round $round"
	ok "round $round: ip -j and netctl -j of five namespaces" sample "$round"
done
ok 'netctl has moved some' test "$total" -ge "$rounds"
if [ "$_failed" != 0 ]; then
	tail -n 40 "$tmp/commands.log" | sed 's/^/# /'
fi
ok 'the daemon ends cleanly' netctld_stop
done_testing
