# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Functions for tests written in sh, on the host and in the guest alike:
#
#   . "$NETCTLD_SOURCE/tests/lib.sh"
#   need_cmd ip
#   ok 'the loopback device is there' ip link show dev lo
#   done_testing
#
#   ok NAME COMMAND...        passes if COMMAND succeeds; else its output is shown
#   refute NAME COMMAND...    passes if COMMAND fails
#   equal NAME WANT GOT       passes if both strings are the same
#   skip REASON               ends the test as skipped (exit status 77)
#   pick LARGE SMALL          LARGE, or, where programs are built with sanitizers and so are slow, SMALL; but LARGE if
#                             NETCTLD_FULL is 1
#   need_cmd COMMAND...       skips unless all are installed
#   wait_until [-t SEC] COMMAND...
#                             asks COMMAND again and again until it succeeds;
#                             fails after SEC seconds (60)
#   at_exit COMMAND           evaluates COMMAND at the end, last said first
#   own_netns "$@"            starts the script over in a network namespace of
#                             its own (skips without the right to); say it first
#   own_machine "$@"          likewise, as root, with a mount namespace, too: /run is empty and the test's own, and with
#                             it /run/netns
#   netctld_start PATH...     starts the daemon of this build with these files
#                             and folders, and waits until it answers; then
#                             $netctld_pid and, for netctl, NETCTL_RUNTIME are set. $netctld_options: further words
#   status_number KEY         a number of netctl status; KEY stands in it once
#   helper_pid                the process of the daemon's helper; fails while there is none
#   netctld_stop              ends it and waits; its exit status
#   count_fds PID, rss_kib PID, count_netns_mounts [PID]
#                             what a process holds: descriptors, memory; namespaces mounted where it is
#   namespaces_gone           returns when the kernel has taken down all namespaces given up before
#   kernel_namespaces         how many the kernel has in memory, other people's and dying ones included; needs root
#   watch_kernel FILE [ARG...]
#                             writes what `ip -o monitor link address ARG...` says to FILE, and returns
#                             when it is listening. Leaves links named watched* in the way
#   watch_end FILE            returns when FILE has all that happened before, and ends it
#   done_testing              must be said last: a test that ends before failed
#
# $tmp is a folder that goes away at the end, TMPDIR as well. netctl and netctld of the build
# come first in PATH. Never sleep to wait for something: wait_until it.

: "${NETCTLD_SOURCE:?the top of the sources}"
: "${NETCTLD_BUILD:=$NETCTLD_SOURCE/build}"
PATH=$NETCTLD_BUILD/daemon:$NETCTLD_BUILD/daemon/netctl:$PATH
export PATH NETCTLD_SOURCE NETCTLD_BUILD

_outer_tmp=${TMPDIR:-/tmp}
tmp=$(mktemp -d) || exit 1
chmod 0711 "$tmp" # the daemon, as another user, goes through it to its runtime folder
export TMPDIR="$tmp"
netctld_pid=
_count=0 _failed=0 _complete=0 _at_exit="rm -rf '$tmp'"

_end() {
	_status=$?
	trap - EXIT
	# Not in "set -e": all of it is to be tried.
	set +e
	eval "$_at_exit"
	case $_status in
	0)
		if [ "$_complete" = 0 ]; then
			echo "not ok - the test ended before done_testing"
			_status=1
		elif [ "$_failed" -gt 0 ] || [ "$_count" = 0 ]; then
			_status=1
		fi
		;;
	esac
	exit "$_status"
}
trap _end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP PIPE

at_exit() {
	_at_exit="$1
$_at_exit"
}

skip() {
	echo "SKIP: $*"
	exit 77
}

need_cmd() {
	for _cmd; do
		command -v "$_cmd" >/dev/null || skip "$_cmd is not installed"
	done
}

pick() {
	if [ "${NETCTLD_SANITIZED:-0}" = 1 ] && [ "${NETCTLD_FULL:-0}" != 1 ]; then
		echo "$2"
	else
		echo "$1"
	fi
}

_verdict() { # 0|1 NAME
	_count=$((_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $_count - $2"
		return 0
	fi
	_failed=$((_failed + 1))
	echo "not ok $_count - $2"
	return 1
}

_show() { # what a failed command said
	sed 's/^/# /' "$tmp/.output"
}

# They return 0 even if the check fails: a test goes on under "set -e", too.
ok() {
	_title=$1
	shift
	if "$@" >"$tmp/.output" 2>&1 </dev/null; then
		_verdict 0 "$_title"
	else
		_rc=$?
		_verdict 1 "$_title" || echo "# exit status $_rc of: $*"
		_show
	fi
}

refute() {
	_title=$1
	shift
	if "$@" >"$tmp/.output" 2>&1 </dev/null; then
		_verdict 1 "$_title" || echo "# should have failed: $*"
		_show
	else
		_verdict 0 "$_title"
	fi
}

equal() {
	if [ "$2" = "$3" ]; then
		_verdict 0 "$1"
	else
		_verdict 1 "$1" || printf '%s\n' "want: $2" "got:  $3" | sed 's/^/# /'
	fi
}

done_testing() {
	_complete=1
	echo "1..$_count"
	[ "$_failed" = 0 ] || echo "# $_failed of $_count failed"
	[ "$_failed" = 0 ]
}

_uptime() { # whole seconds since boot, without a process
	read -r _up _ </proc/uptime
	_up=${_up%%.*}
}

# The limit is only to end a broken test, so it is long; what is waited for is
# the condition, looked at every few hundredths of a second.
wait_until() {
	_limit=60
	if [ "$1" = -t ]; then
		_limit=$2
		shift 2
	fi
	_uptime
	_deadline=$((_up + _limit))
	until "$@" >/dev/null 2>&1 </dev/null; do
		_uptime
		if [ "$_up" -gt "$_deadline" ]; then
			echo "# not so after $_limit s: $*" >&2
			return 1
		fi
		sleep 0.03
	done
}

own_netns() {
	if [ "${_own_netns:-}" = 1 ]; then
		ip link set dev lo up
		return 0
	fi
	need_cmd unshare ip
	_user=
	[ "$(id -u)" = 0 ] || _user=--map-root-user
	unshare $_user --net true 2>/dev/null || skip "no right to make a network namespace"
	rm -rf "$tmp"
	# exec runs no EXIT trap.
	TMPDIR=$_outer_tmp _own_netns=1 exec unshare $_user --net -- "$0" "$@"
}

# Runs COMMAND... in new namespaces for network and mounts where / is no mount point, as after chroot(2), and therefore
# cannot be made private: entering the new mount namespace once more leads to its top, which can; then back.
_unshare_from_chroot() {
	command -v python3 >/dev/null || return 1
	python3 - "$@" <<-'END'
		import ctypes, os, sys

		libc = ctypes.CDLL(None, use_errno=True)
		NEWNS, NEWNET, REC, PRIVATE = 0x20000, 0x40000000, 0x4000, 0x40000

		def call(result):
		    if result != 0:
		        sys.exit("no mount namespace: " + os.strerror(ctypes.get_errno()))

		call(libc.unshare(NEWNS | NEWNET))
		root, cwd = os.open("/", os.O_PATH), os.open(".", os.O_PATH)
		call(libc.setns(os.open("/proc/self/ns/mnt", os.O_RDONLY), NEWNS))
		call(libc.mount(b"none", b"/", None, REC | PRIVATE, None))
		os.fchdir(root)
		os.chroot(".")
		os.fchdir(cwd)
		os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
		os.execvp(sys.argv[1], sys.argv[1:])
	END
}

own_machine() {
	if [ "${_own_machine:-}" = 1 ]; then
		mount -t tmpfs -o mode=0755 run /run || exit 1
		ip link set dev lo up
		return 0
	fi
	need_cmd unshare ip mount
	[ "$(id -u)" = 0 ] || skip "needs root: the daemon gives privileges up, and its helper needs all"
	rm -rf "$tmp"
	export _own_machine=1 TMPDIR="$_outer_tmp"
	if unshare --net --mount true 2>/dev/null; then
		exec unshare --net --mount -- "$0" "$@"
	elif _unshare_from_chroot true 2>/dev/null; then
		trap - EXIT
		_unshare_from_chroot "$0" "$@"
		exit
	fi
	skip "no right to make network and mount namespaces"
}

netctld_start() {
	export NETCTL_RUNTIME="$tmp/run"
	_args=${netctld_options-}
	for _path; do
		_args="$_args -c '$_path'"
	done
	[ -d "$NETCTL_RUNTIME" ] || mkdir -m 0700 "$NETCTL_RUNTIME"
	eval "exec netctld -r '$NETCTL_RUNTIME' $_args" >"$tmp/netctld.log" 2>&1 </dev/null &
	netctld_pid=$!
	at_exit 'netctld_stop >/dev/null 2>&1'
	wait_until _netctld_answers || {
		sed 's/^/# netctld: /' "$tmp/netctld.log"
		return 1
	}
	kill -0 "$netctld_pid"
}

# Answers from its mirror, or is dead, which ends the waiting.
_netctld_answers() {
	kill -0 "$netctld_pid" 2>/dev/null || return 0
	netctl link show dev lo
}

status_number() {
	netctl -j status | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
}

# Of the daemon's children one keeps the helper, which is its child.
helper_pid() {
	_pid=$(status_number helper_pid)
	[ "${_pid:-0}" != 0 ] || _pid=$(pgrep -P "$(pgrep -P "$netctld_pid" | head -n 1)" | head -n 1)
	[ -n "$_pid" ] && kill -0 "$_pid" && echo "$_pid"
}

count_fds() {
	find "/proc/$1/fd" -mindepth 1 | wc -l
}

rss_kib() {
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"
}

count_netns_mounts() {
	grep -c ' - nsfs ' "/proc/${1:-self}/mountinfo"
}

namespaces_gone() {
	"$NETCTLD_BUILD/tests/live/nsidle"
}

# The memory of a namespace goes when the next ones are taken down, and freed objects are still counted in their slabs
# until these are looked through.
kernel_namespaces() {
	namespaces_gone && namespaces_gone || return 1
	echo 1 2>/dev/null >/sys/kernel/slab/net_namespace/shrink
	awk '$1 == "net_namespace" {print $2; found = 1} END {exit !found}' /proc/slabinfo 2>/dev/null
}

netctld_stop() {
	[ -n "$netctld_pid" ] || return 0
	kill -TERM "$netctld_pid" 2>/dev/null
	wait "$netctld_pid"
	_rc=$?
	netctld_pid=
	return $_rc
}

_watch_hears() { # FILE: something happens, is it written down?
	ip link add watched0 type veth peer name watched1 2>/dev/null || ip link del watched0
	grep -q watched "$1"
}

watch_kernel() {
	_watch_file=$1
	shift
	# Not the default buffer, which a burst of some hundred links overruns.
	ip -o -rcvbuf 33554432 monitor link address "$@" >"$_watch_file" 2>&1 &
	watch_pid=$!
	wait_until _watch_hears "$_watch_file"
}

watch_end() {
	ip link add watched-end type veth peer name watched-end1
	ip link del watched-end
	wait_until grep -q 'Deleted.*watched-end1*@' "$1"
	kill "$watch_pid"
}
