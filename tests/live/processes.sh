#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The processes of a running daemon started as root: user, capabilities and seccomp of each, all threads included, by
# the kernel's own word, before and after work in namespaces; and what the daemon still does when its helper and the
# helper's keeper are dead. What the daemon cannot do is tried from inside in privileges.sh.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip pgrep

# Bits of capability.h.
CHOWN=$((1 << 0)) DAC_OVERRIDE=$((1 << 1)) DAC_READ_SEARCH=$((1 << 2)) NET_BROADCAST=$((1 << 11)) NET_ADMIN=$((1 << 12))
NET_RAW=$((1 << 13)) SYS_PTRACE=$((1 << 19)) SYS_ADMIN=$((1 << 21))

fields='^(Uid|Gid|Groups|Cap[A-Z][a-z]*|NoNewPrivs|Seccomp|Seccomp_filters|Threads):'

field() { # FILE NAME: the first value
	sed -n "s/^$2:[[:space:]]*\([^[:space:]]*\).*/\1/p" "$1"
}

show() { # WHO PID
	echo "# $1 ($2): $(tr '\0' ' ' <"/proc/$2/cmdline")"
	grep -E "$fields" "/proc/$2/status" |
		tr '\t' ' ' | sed 's/^/#   /'
}

# PID COMMAND...: holds for each thread; its status is $status
each_thread() {
	_pid=$1
	shift
	for status in "/proc/$_pid/task/"*/status; do
		"$@" || {
			grep -E "$fields" "$status"
			return 1
		}
	done
}

is() { # NAME VALUE...: all values of the line
	_name=$1
	shift
	[ "$(sed -n "s/^$_name:[[:space:]]*//p" "$status" | tr '\t' ' ' | sed 's/ *$//')" = "$*" ]
}

within() { # NAME MASK: no capability outside of it
	_caps=$(field "$status" "$1")
	[ "$((0x$_caps & ~$2))" = 0 ]
}

daemon_is_modest() {
	is Uid "$uid $uid $uid $uid" && is Gid "$gid $gid $gid $gid" &&
		within CapPrm "$NET_ADMIN" && within CapEff "$NET_ADMIN" && is CapInh 0000000000000000 &&
		is CapAmb 0000000000000000 && within CapBnd "$NET_ADMIN" && is NoNewPrivs 1 &&
		{ [ "${NETCTLD_SANITIZED:-0}" = 1 ] || is Seccomp 2; }
}

allowed=$((SYS_ADMIN | NET_ADMIN | NET_BROADCAST | NET_RAW | DAC_OVERRIDE | DAC_READ_SEARCH | SYS_PTRACE | CHOWN))
helper_is_modest() {
	within CapPrm "$allowed" && within CapEff "$allowed" && is CapAmb 0000000000000000 && is NoNewPrivs 1 &&
		is Seccomp 2
}

no_root_groups() {
	! sed -n 's/^Groups://p' "$status" | grep -qw 0
}

# In no other network namespace than its own, and with no descriptor that leads to one.
holds_no_namespace() {
	! find "/proc/$1/fd" -mindepth 1 -exec readlink {} + | grep -e '^net:' -e '^/run/netns' -e '^mnt:'
}

check_all() { # WHEN
	show daemon "$netctld_pid"
	show keeper "$keeper"
	show helper "$helper"
	[ "${NETCTLD_SANITIZED:-0}" = 0 ] || echo '# built with a sanitizer: the daemon has no filter; the guest ring has one'
	ok "$1: the daemon is $user, has CAP_NET_ADMIN alone, no new privileges, a seccomp filter" \
		each_thread "$netctld_pid" daemon_is_modest
	ok "$1: and is not in root's group" each_thread "$netctld_pid" no_root_groups
	ok "$1: it holds no namespace" holds_no_namespace "$netctld_pid"
	ok "$1: the helper has few capabilities and a seccomp filter" each_thread "$helper" helper_is_modest
	ok "$1: its keeper has no more" each_thread "$keeper" within CapEff "$allowed"
}

user=netctld
getent passwd "$user" >/dev/null || user=nobody
uid=$(id -u "$user") gid=$(id -g "$user")
mkdir "$tmp/conf"
chmod 0700 "$tmp/conf" # files that only root may read
cat >"$tmp/conf/a.yaml" <<-END
	network:
	  version: 2
	  virtual-ethernets:
	    "v{1..5}": {peer: {netns: "t{n}", name: eth0}}
	  namespaces:
	    "t{1..5}": {sysctl: {net.ipv4.ip_forward: 1}, virtual-ethernets: {eth0: {addresses: ["10.0.{n}.2/24"]}}}
END
chmod 0600 "$tmp/conf/a.yaml"
netctld_start "$tmp/conf"
wait_until helper_pid
helper=$(helper_pid)
keeper=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$helper/status")
equal 'the keeper is a child of the daemon' "$netctld_pid" "$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$keeper/status")"
check_all 'at the start'
ok 'a file that only root may read is applied' wait_until ip -n t5 link show dev eth0
ok 'reload' netctl reload
ok 'namespaces are made' netctl netns add 'n{1..20}'
ok 'and looked into' netctl -a link
check_all 'after work'
for file in "$tmp/run" "$tmp/run/"*; do
	equal "$(basename "$file") is the daemon's own" "$uid" "$(stat -c %u "$file")"
done
equal 'nobody else looks into the runtime folder'"'"'s files' '' \
	"$(find "$tmp/run" -type f -perm /077 -printf '%f ')"

is_another() {
	_now=$(helper_pid) && [ "$_now" != "$helper" ]
}
kill -KILL "$helper"
ok 'a killed helper is started again' wait_until is_another
helper=$(helper_pid)
check_all 'after the death of the helper'
ok 'and works' netctl netns del 'n{1..20}'
is_dead() {
	! kill -0 "$1"
}
kill -KILL "$keeper"
ok 'without its keeper the helper ends' wait_until is_dead "$helper"
ok 'the daemon goes on: it answers' netctl -n t5 link show dev eth0
refute 'says that it cannot make a namespace' netctl netns add later
ok 'and applies what needs no helper' sh -c "
	echo 'network: {bridges: {br7: {}}}' >'$tmp/b.yaml'
	netctl apply '$tmp/conf/a.yaml' '$tmp/b.yaml' && ip link show dev br7"
ok 'the daemon ends cleanly' netctld_stop
done_testing
