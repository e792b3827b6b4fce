#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Every verb of "netctl netns", -n, -a and "link move", held against what ip says and does, with names that are hostile.
# The commands follow each other without waiting: what one did, the next one sees.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"

says() { # STATUS TEXT WORD...: netctl WORD... ends with this status and says this on stderr, and nothing else
	_want="$1 $2"
	shift 2
	_got=$(netctl "$@" 2>&1 >"$tmp/stdout")
	_got="$? $_got"
	equal "netctl $*: message and exit status" "$_want" "$_got"
	ok "netctl $*: nothing on stdout" [ ! -s "$tmp/stdout" ]
}

lists_agree() { # NAME: both list the same names
	equal "$1: the list of ip" "$(ip netns list | sed 's/ (id: [0-9]*)$//' | LC_ALL=C sort)" \
		"$(netctl netns list | sed 's/ (id: [0-9]*)$//')"
}

names() { # of links
	netctl -j "$@" | grep -o '"ifname":"[^"]*"' | cut -d'"' -f4 | sort | tr '\n' ' '
}

# Without a daemon.
says 2 'netctl: Invalid netns name "a/b"' netns add a/b
says 2 'netctl: Invalid netns name ".."' netns del ..
says 1 'netctl: Cannot open network namespace "nope": No such file or directory' netns exec nope true
says 1 'netctl: Cannot open network namespace "nope": No such file or directory' netns pids nope
says 2 "netctl: Specified string 'x' is not a pid" netns identify x
netctl -r "$tmp/nowhere" netns add x 2>/dev/null
equal 'no daemon: exit status' 3 "$?"

mkdir "$tmp/conf"
netctld_start "$tmp/conf"
equal 'nothing yet' '' "$(netctl netns)"
equal 'nothing yet, as JSON' '[]' "$(netctl -j netns)"

# Made by ip, seen at once.
ip netns add one
lists_agree 'one made by ip'
equal '-n of what ip has just made' 'lo ' "$(names -n one link)"
ip netns add two && ok 'at once' netctl -n two link show dev lo
lists_agree 'two made by ip'

# Made by netctl, usable by ip.
ok 'add' netctl netns add three
ok 'ip enters it' ip netns exec three true
ok 'ip -n' ip -n three link set dev lo up
ok 'a range' netctl netns add 't{1..100}' 'u{10..30..10}.x'
equal 'the range is there' 103 "$(ip netns list | grep -c '^[tu][0-9]')"
lists_agree 'ranges made by netctl'
says 4 'netctl: Cannot create namespace file "/run/netns/t7": File exists' netns add t7
equal 'as JSON' '{"exit":4,"done":1,"failed_count":1,"failed":[{"name":"t7","errno":17,"error":"Cannot create namespace file \"/run/netns/t7\": File exists"}]}' \
	"$(netctl -j netns add t7 t101)"
# A namespace gets its id when it is joined, which comes some time after it was made.
same_lists() {
	[ "$(ip netns list | sort)" = "$(netctl netns list | sort)" ] && ! netctl netns list | grep -qv 'id:'
}
ok 'ids as ip has them' wait_until same_lists
equal 'one by its name' "$(ip netns list | grep '^t7 ')" "$(netctl netns list t7)"
says 1 'netctl: Cannot open network namespace "nope": No such file or directory' netns list nope
ok 'JSON has what ip has' [ "$(ip -j netns list | grep -o '"name":"[^"]*","id":[0-9]*' | sort)" = \
	"$(netctl -j netns list | grep -o '"name":"[^"]*","id":[0-9]*' | sort)" ]
ok 'del' netctl netns del 't{1..101}' 'u{10..30..10}.x'
says 4 'netctl: Cannot remove namespace file "/run/netns/t7": No such file or directory' netns del t7
ip netns del two
lists_agree 'some deleted by both'

# exec.
equal 'exec: links' "$(ip netns exec one ip -o link)" "$(netctl netns exec one ip -o link)"
equal 'exec: /sys' "$(ip netns exec one ls /sys/class/net)" "$(netctl netns exec one ls /sys/class/net)"
equal 'exec: mounts' "$(ip netns exec one cut -d' ' -f2,3 /proc/mounts | sort)" \
	"$(netctl netns exec one cut -d' ' -f2,3 /proc/mounts | sort)"
equal 'exec: options are the command'"'"'s' '-j -a --json' "$(netctl netns exec one printf '%s %s %s' -j -a --json)"
netctl netns exec one sh -c 'exit 7'
equal 'exec: exit status' 7 "$?"
netctl netns exec one /nonexistent 2>/dev/null
equal 'exec: no such command' 127 "$?"
ok 'exec: nothing is mounted here' [ "$(grep -c ' /sys ' /proc/mounts)" -le 1 ]
equal 'exec in all' "$(printf 'netns: one\none\nnetns: three\nthree')" \
	"$(netctl -a netns exec netctl netns identify)"
netctl -a netns exec sh -c 'exit 3' >/dev/null
equal 'exec in all: exit status' 3 "$?"
mkdir /etc/netns 2>/dev/null && at_exit 'rmdir /etc/netns'
mount -t tmpfs etc /etc/netns
mkdir /etc/netns/one
echo 'nameserver 192.0.2.53' >/etc/netns/one/passwd
equal 'exec: files of /etc/netns' 'nameserver 192.0.2.53' "$(netctl netns exec one cat /etc/passwd)"
ok 'exec: not here' [ "$(cat /etc/passwd)" != 'nameserver 192.0.2.53' ]
umount /etc/netns

# identify and pids.
ip netns exec one sh -c 'echo $$; exec sleep 1000' >"$tmp/pid" &
sleep_pid=$!
at_exit "kill $sleep_pid 2>/dev/null"
wait_until [ -s "$tmp/pid" ]
pid=$(cat "$tmp/pid")
equal 'identify a process' "$(ip netns identify "$pid")" "$(netctl netns identify "$pid")"
equal 'identify: no name' '' "$(netctl netns identify)"
equal 'identify as JSON' '["one"]' "$(netctl -j netns identify "$pid")"
equal 'pids' "$(ip netns pids one)" "$(netctl netns pids one)"
equal 'pids as JSON' "[$pid]" "$(netctl -j netns pids one)"
# A second name for the same namespace.
ip netns attach again "$pid"
lists_agree 'two names'
equal 'identify: two names' "$(printf 'again\none')" "$(netctl netns identify "$pid")"
ip netns del again
lists_agree 'one name again'

# -n and -a.
ip link add d0 type veth peer name d8
ip -n one link add d0 type veth peer name d8
ip -n one addr add 192.0.2.1/24 dev d0
ip -n three link add d1 type veth peer name d2
equal '-n: links' "$(names -n one link)" "$(ip -n one -j link | grep -o '"ifname":"[^"]*"' | cut -d'"' -f4 | sort | tr '\n' ' ')"
equal '-n: addresses' '192.0.2.1' "$(netctl -n one -j address dev d0 | grep -o '"local":"[^"]*"' | cut -d'"' -f4)"
equal 'the option anywhere' 'd0 ' "$(names link dev d0 --netns one)"
says 1 'netctl: Cannot open network namespace "nope": No such file or directory' -n nope link
says 1 'netctl: Device "d1" does not exist.' -n one link dev d1
says 2 'netctl: -n and -a: one namespace, or all?' -n one -a link
equal '-a: d0 is in two' "$(printf '"netns":""\n"netns":"one"')" \
	"$(netctl -a -j link dev d0 | grep -o '"netns":"[^"]*"')"
equal '-a: who has which' "$(printf 'netns: (own)\nnetns: one')" "$(netctl -a link dev d0 | grep '^netns:')"
equal '-a: addresses' '"netns":"one"' "$(netctl -a -j address to 192.0.2.0/24 | grep -o '"netns":"[^"]*"')"

# link move.
# Behind it are the kernel's own words.
equal 'move: a name that is taken' '4 netctl: Cannot move "d0" to network namespace "one": File exists' \
	"$(_got=$(netctl link move d0 netns one 2>&1); echo "$? $_got" | sed 's/ (.*)$//')"
ok 'move' netctl link move d0 netns three
equal 'it is there' 'd0 d1 d2 lo ' "$(names -n three link)"
says 1 'netctl: Device "d0" does not exist.' link dev d0
ok 'ip has it there' ip -n three link show dev d0
ok 'move with a new name' netctl -n three link move dev d0 netns one name d9
ok 'ip has it there, by that name' ip -n one link show dev d9
ok 'move home' netctl -n one link move d9 netns ''
equal 'it is home' 'd9 ' "$(names link dev d9)"
ok 'move to a process' netctl link move d9 netns "$pid"
equal 'it is there' 'd9 ' "$(names -n one link dev d9)"
ok 'back' netctl -n one link move d9 netns ""
ip netns add "$pid"
ok 'a name is before a process' netctl link move d9 netns "$pid"
ok 'so it is in that' ip -n "$pid" link show dev d9
ip netns del "$pid"
says 1 'netctl: Cannot open network namespace "nope": No such file or directory' link move lo netns nope
says 1 'netctl: Cannot open network namespace "nope": No such file or directory' -n nope link move d1 netns one

# Names that are strange, and files that are no namespaces.
nth=0
long=$(printf '%0255d' 1)
# shellcheck disable=SC2016
for name in 'x y' '-j' '--' "it's" 'a"b\c' '$HOME' '*' '.hidden' 'ünïcode' "$long" "$(printf 'tab\there')" \
	"$(printf 'new\nline')" 'a{b' 'all' 'list'; do
	nth=$((nth + 1))
	ip netns add "$name" 2>/dev/null || continue
	ok "strange name $nth: -n" netctl -n "$name" link show dev lo
	ok "strange name $nth: exec" netctl netns exec "$name" true
	ok "strange name $nth: del" netctl netns del -- "$name"
	ok "strange name $nth: gone" [ ! -e "/run/netns/$name" ]
done
for name in 'x y' "it's" 'a"b\c' "$long" 'all'; do
	ok "$name: add" netctl netns add -- "$name"
	ok "$name: ip" ip netns exec "$name" true
	ip netns del "$name"
done
says 2 "netctl: Invalid netns name \"${long}0\"" netns add "${long}0"
touch /run/netns/file
lists_agree 'a file'
says 1 'netctl: Cannot open network namespace "file": /run/netns/file is no network namespace' -n file link
ok '-a does not mind it' netctl -a link
ok 'a file can be deleted' netctl netns del file
lists_agree 'no file'

# Namespaces without a name.
unshare --net sleep 1000 &
nameless_pid=$!
at_exit "kill $nameless_pid 2>/dev/null"
wait_until sh -c "netctl netns list all | grep -q '(cookie [0-9]*, pid $nameless_pid)'"
ok 'nameless ones are shown when asked for' sh -c "netctl netns list all | grep -q 'pid $nameless_pid)'"
refute 'and not otherwise' sh -c 'netctl netns list | grep -q cookie'
kill "$nameless_pid" "$sleep_pid"

# Everybody may look, nobody else may change.
if command -v setpriv >/dev/null; then
	chmod 0755 "$tmp" "$NETCTL_RUNTIME"
	ok 'everybody may look' setpriv --reuid 65534 --clear-groups netctl -n one link
	refute 'not add' setpriv --reuid 65534 --clear-groups netctl netns add mine
	refute 'not delete' setpriv --reuid 65534 --clear-groups netctl netns del one
	refute 'not move' setpriv --reuid 65534 --clear-groups netctl -n three link move d1 netns one
	lists_agree 'nothing changed'
fi

ok 'del the rest' netctl netns del one three
equal 'nothing is left' '' "$(netctl netns; ip netns)"
ok 'the daemon ends cleanly' netctld_stop
done_testing
