#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# 4,000 namespaces as one machine: each with a veth to a bridge, an address and a sysctl. Built by one apply; a second
# one sends nothing; ten taken away by a reload that touches nothing else; all taken away, and nothing left of them: no
# descriptor, mount, process, or memory. NS_COUNT namespaces, if it is set.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
. "$NETCTLD_SOURCE/tests/live/nslib.sh"
need_cmd ip strace seq diff awk

count=${NS_COUNT:-$(pick 4000 400)}
half=$((count / 2))

processes() { # that descend from the daemon, itself included
	ps -e -o pid=,ppid= | awk -v root="$netctld_pid" '
		{parent[$1] = $2}
		END {for (p in parent) {for (q = p; q > 1 && q != root; q = parent[q]); n += q == root} print n}'
}

# Sets fds_main, fds_helper, mounts, procs, rss_main and rss_helper.
take_stock() {
	helper=$(helper_pid) || helper=
	fds_main=$(count_fds "$netctld_pid") rss_main=$(rss_kib "$netctld_pid")
	fds_helper=$(count_fds "$helper") rss_helper=$(rss_kib "$helper")
	mounts=$(count_netns_mounts) procs=$(processes)
	echo "# $1: daemon $fds_main descriptors, $rss_main KiB; helper $fds_helper descriptors, $rss_helper KiB;" \
		"$procs processes; $mounts mounts of namespaces"
}

# With ip itself, for a hundred of them; the sysctl is nswalk's business, and for some ip's.
sample_by_ip() {
	step=$((count / 100))
	for i in $(seq 1 "$((step > 0 ? step : 1))" "$count"); do
		ip -n "t$i" -o -4 addr show dev eth0 up | grep -q " 10\.$((i / 256))\.$((i % 256))\.2/24 " || {
			echo "t$i has not its address"
			return 1
		}
	done
	for i in 1 "$half" "$count"; do
		[ "$(ip netns exec "t$i" cat "/proc/sys/$(echo "$SYSCTL" | tr . /)")" = 1 ] || return 1
	done
}

mkdir "$tmp/conf"
ip link add foreign type veth peer name foreign_
ip netns add stranger
ip -n stranger link add foreign type veth peer name eth0
everything stranger >"$tmp/stranger"
kernel=$(kernel_namespaces) || kernel=
netctld_start "$tmp/conf"
wait_until helper_pid
# What is opened once, when it is needed first, is not what is counted.
configuration 1 2 >"$tmp/conf/a.yaml"
ok 'two namespaces' netctl reload
rm "$tmp/conf/a.yaml"
ok 'and none' netctl reload
take_stock 'before'
before="$fds_main $fds_helper $mounts $procs"
fds_main_before=$fds_main fds_helper_before=$fds_helper
rss_before=$rss_main rss_helper_before=$rss_helper

configuration 1 "$count" >"$tmp/conf/a.yaml"
start=$(milliseconds)
ok "$count namespaces: reload" netctl reload
echo "# applied in $(($(milliseconds) - start)) ms"
everything stranger >"$tmp/stranger.now"
ok 'a namespace of somebody else was not touched' cmp "$tmp/stranger" "$tmp/stranger.now"
ip netns del stranger
ok 'all have their link, address and sysctl, and the bridge its ports' wait_until is_built 1 "$count"
ok 'ip -n says so as well' sample_by_ip
equal 'ip netns list has all' "$count" "$(ip netns list | wc -l)"
take_stock 'with all'
mounts_all=$mounts
equal 'each name is one mount' "$count" "$mounts_all"
echo "# a namespace: daemon $(((rss_main - rss_before) * 1024 / count)) bytes of RSS," \
	"$(((fds_main - ${before%% *}) * 1000 / count)) descriptors for 1,000;" \
	"helper $(((rss_helper - rss_helper_before) * 1024 / count)) bytes, $fds_helper descriptors in all"

# The same once more: nothing is sent, by the daemon's counter, by strace, and by the kernel's own word.
wait_until quiet
changes=$(status_number changes)
everything >"$tmp/before"
home_links >>"$tmp/before"
watch_kernel "$tmp/monitor" all-nsid
strace -f -e trace=sendto,sendmsg,sendmmsg,openat,mount,umount2,unshare -o "$tmp/sends" \
	-p "$netctld_pid" -p "$helper" 2>"$tmp/strace" &
strace_pid=$!
wait_until sh -c "[ \$(grep -c attached '$tmp/strace') -ge 2 ]"
ok 'a second reload' netctl reload
kill "$strace_pid"
wait "$strace_pid"
watch_end "$tmp/monitor"
equal 'changes nothing, by the counter of netctl status' "$changes" "$(status_number changes)"
ok 'strace has seen something' grep -q 'send' "$tmp/sends"
refute 'by strace, nothing is asked of the kernel' grep -E 'RTM_(NEW|DEL|SET)|mount\(|unshare\(' "$tmp/sends"
refute 'nor is any sysctl opened to be written' grep -E '"[^"]*(sys/net|ipv4)[^"]*", [^)]*O_(WRONLY|RDWR)' "$tmp/sends"
grep -v -e watched -e '^Dump was interrupted' "$tmp/monitor" | head -n 20 >"$tmp/heard"
equal 'ip monitor of all namespaces is silent' '' "$(cat "$tmp/heard")"
everything >"$tmp/after"
home_links >>"$tmp/after"
ok 'all is as before' cmp "$tmp/before" "$tmp/after"
equal 'plan says so too' 0 "$(netctl plan "$tmp/conf/a.yaml" >/dev/null; echo $?)"

# Ten less, from the middle.
first=$half last=$((half + 9))
ids=$(ip netns list | awk -v a="$first" -v b="$last" '{
	n = substr($1, 2) + 0
	if (n >= a && n <= b && $2 == "(id:") {sub(/\)/, "", $3); print $3}
}')
configuration 1 "$((first - 1))" "$((last + 1))" "$count" >"$tmp/conf/a.yaml"
watch_kernel "$tmp/monitor" all-nsid
ok 'a reload with ten less' netctl reload
watch_end "$tmp/monitor"
ok 'takes these away' is_built 1 "$((first - 1))" "$((last + 1))" "$count"
everything >"$tmp/after"
grep -v -E "^t($(seq -s '|' "$first" "$last")) " "$tmp/before" |
	grep -v -E " v($(seq -s '|' "$first" "$last"))\$" >"$tmp/want"
home_links >>"$tmp/after"
ok 'all others are as before: cookies, ifindexes, addresses' cmp "$tmp/want" "$tmp/after"
# Of the bridge, unchanged, the kernel may tell when a port leaves it.
grep -v -E -e '[0-9]+: (watched|br[0-9]:)' -e '^Dump was interrupted' \
	-e "[0-9]+: v($(seq -s '|' "$first" "$last"))(@[^ ]*)?[: ]" \
	-e "^\[nsid ($(echo "$ids" | tr '\n' '|' | sed 's/|$//'))\]" "$tmp/monitor" | head -n 20 >"$tmp/heard"
equal 'the kernel has told of no other' '' "$(cat "$tmp/heard")"
ip link del watched0 2>/dev/null

rm "$tmp/conf/a.yaml"
start=$(milliseconds)
ok 'a reload without the file' netctl reload
echo "# all taken away in $(($(milliseconds) - start)) ms"
ok 'the kernel has taken all down' namespaces_gone
equal 'no name is left' '' "$(ls /run/netns)"
equal 'no link is left' 'foreign foreign_ lo' "$(home_links | awk '{print $2}' | sort | tr '\n' ' ' | sed 's/ $//')"
as_before() {
	take_stock 'after'
	# The stranger's mount went by our own hand. A few descriptors may be kept for next time, but not more next time.
	[ "$((mounts + 1)) $procs" = "${before#* * }" ] && [ "$fds_main" -le "$((fds_main_before + 3))" ] &&
		[ "$fds_helper" -le "$((fds_helper_before + 3))" ]
}
ok 'as many descriptors, mounts and processes as before' wait_until as_before
fds_first="$fds_main $fds_helper"
equal 'no mount in the namespace of the daemon' 0 "$(count_netns_mounts "$netctld_pid")"
equal 'none in that of the helper' 0 "$(count_netns_mounts "$helper")"
take_stock 'after'
echo "# memory that stays: daemon $((rss_main - rss_before)) KiB, helper $((rss_helper - rss_helper_before)) KiB"
few_in_kernel() { # others may use namespaces at the same time; a leak would be all of them
	_now=$(kernel_namespaces) && echo "# namespaces in the kernel's memory: $kernel before, $_now after" &&
		[ "$_now" -lt "$((kernel + count / 4 + 100))" ]
}
if [ -n "$kernel" ]; then
	ok 'the kernel has the memory back' wait_until few_in_kernel
	sed 's/^/ /' "$tmp/.output"
fi
configuration 1 "$count" >"$tmp/conf/a.yaml"
ok 'all of it once more' netctl reload
ok 'is there again' wait_until is_built 1 "$count"
take_stock 'with all, again'
rss_second=$rss_main
rm "$tmp/conf/a.yaml"
ok 'and taken away again' netctl reload
no_more_fds() {
	take_stock 'after the second time'
	[ "$fds_main $fds_helper" = "$fds_first" ]
}
ok 'no more descriptors than after the first time' wait_until no_more_fds
take_stock 'after the second time'
echo "# the second time took $((rss_second - rss_before)) KiB in the daemon at most"
ok 'the daemon ends cleanly' netctld_stop
equal 'and leaves no mount' 0 "$(count_netns_mounts)"
done_testing
