#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the daemon is once it has given up its privileges, as whoever it was started, told by a program that does the
# same (tests/live/probe.c): who it is, what it cannot do any more, what it still can, by itself and by the helper.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd setpriv unshare ip
[ "$(id -u)" = 0 ] || skip "needs root"
own_netns "$@"

chmod 0755 "$tmp"
mkdir "$tmp/bin" "$tmp/conf"
# The helper is looked for beside the program.
cp "$NETCTLD_BUILD/tests/live/probe" "$NETCTLD_BUILD/daemon/netctld-helper" "$tmp/bin/"
echo 'network: {}' >"$tmp/conf/secret.yaml"
chmod 0600 "$tmp/conf/secret.yaml"
nobody=$(id -u nobody)

# In a mount and a network namespace of its own, with an empty /run. PREFIX may be a command.
probe() { # PREFIX USER DIR
	unshare --net --mount sh -c '
		mount -t tmpfs -o mode=0755 tmpfs /run && mkdir /run/netns && touch /run/other &&
			unshare --net=/run/other true || exit 99
		[ ! -d "$2/mount" ] || mount -t tmpfs -o mode=0755 tmpfs "$2/mount" || exit 99
		$0 "$@"
		status=$?
		[ ! -d "$2/mount" ] || stat -c "mounted: %u" "$2/mount"
		exit $status' "$1" "$tmp/bin/probe" "$tmp/$3" "$2" "$tmp/conf" /run/other >"$tmp/out" 2>"$tmp/err" </dev/null
	echo $? >"$tmp/status"
}

exited() {
	ok "$1: exit status $2" grep -qx "$2" "$tmp/status"
	grep -qx "$2" "$tmp/status" || sed 's/^/# /' "$tmp/out" "$tmp/err"
}

said() {
	ok "$1: $2" grep -Eq "^$2\$" "$tmp/out"
}

filtered() {
	grep -Eq '^Seccomp:.2' "$tmp/out"
}

# All that must fail fails. Outside of its namespace, the root of a user namespace is still the user that it was, which
# may signal the first process: there, it is the filter that refuses.
forbidden() {
	for _what in setns unshare mount packet raw kill attach setuid capability; do
		[ "$_what $1" = 'kill root of a user namespace' ] && ! filtered && continue
		said "$1" "$_what: EPERM"
	done
	for _what in execve fork kill ptrace inet netfilter code protect userns bpf uring limit; do
		if filtered; then
			said "$1" "filter-$_what: EPERM"
		else
			said "$1" "filter-$_what: no filter"
		fi
	done
}

works() {
	refute "$1: nothing is missing" grep -E '^can-.*: E' "$tmp/out"
	ok "$1: what it can was tried" grep -q '^can-dump: allowed' "$tmp/out"
}

helper_works() {
	said "$1" 'helper: yes'
	for _what in files prepare create join socket delete; do
		said "$1" "can-helper-$_what: allowed"
	done
	said "$1" 'can-link-there: allowed'
	said "$1" "file: .*/secret.yaml readable"
}

limited() { # NAME UID: capabilities are NET_ADMIN (bit 12) alone
	said "$1" "Uid:	$2	$2	$2	$2"
	for _set in Prm Eff; do
		said "$1" "Cap$_set:	0000000000001000"
	done
	for _set in Inh Amb; do
		said "$1" "Cap$_set:	0000000000000000"
	done
	said "$1" 'NoNewPrivs:	1'
}

name='root'
mkdir "$tmp/run" "$tmp/run/sub"
touch "$tmp/run/file" "$tmp/run/sub/file" "$tmp/outside" "$tmp/linked"
ln -s "$tmp/outside" "$tmp/run/symlink"
ln "$tmp/linked" "$tmp/run/hardlink"
mkdir "$tmp/run/mount"
probe '' nobody run
exited "$name" 0
limited "$name" "$nobody"
said "$name" 'CapBnd:	0000000000000000'
said "$name" 'Groups:	 *'
said "$name" "Gid:	$(id -g nobody).*"
said "$name" 'shadow: EACCES'
said "$name" 'file-itself: EACCES'
forbidden "$name"
helper_works "$name"
works "$name"
said "$name" 'link: allowed'
for file in run run/sub run/file run/sub/file run/symlink; do
	equal "$name: $file is its" "$nobody" "$(stat -c %u "$tmp/$file")"
done
for file in outside linked; do
	equal "$name: $file is not" 0 "$(stat -c %u "$tmp/$file")"
done

said "$name" 'mounted: 0'

name='unknown user'
probe '' no-such-user made
exited "$name" 0
limited "$name" "$nobody"
ok "$name: there is a warning" grep -q 'warning: there is no user "no-such-user"' "$tmp/err"
equal "$name: the folder was made" "755 $nobody" "$(stat -c '%a %u' "$tmp/made")"

name='root of a user namespace'
probe 'unshare --map-root-user --net --mount' nobody userns
exited "$name" 0
limited "$name" 0
said "$name" 'CapBnd:	0000000000000000'
forbidden "$name"
ok "$name: it says so" grep -q 'not mapped' "$tmp/err"
helper_works "$name"
works "$name"
said "$name" 'link: allowed'

name='no root, with the capability'
mkdir -m 0777 "$tmp/admin"
probe "setpriv --reuid $nobody --clear-groups --inh-caps +net_admin --ambient-caps +net_admin" nobody admin
exited "$name" 0
limited "$name" "$nobody"
said "$name" 'helper: no'
forbidden "$name"
works "$name"
said "$name" 'link: allowed'

name='no root'
mkdir -m 0777 "$tmp/plain"
probe "setpriv --reuid $nobody --clear-groups" nobody plain
exited "$name" 0
said "$name" 'helper: no'
said "$name" 'CapEff:	0000000000000000'
said "$name" 'link: EPERM'
works "$name"

name='folder of everybody'
mkdir -m 1777 "$tmp/everybody"
probe '' nobody everybody
exited "$name" 3
said "$name" 'drop: EPERM'
ok "$name: it says so" grep -q 'everybody may write' "$tmp/err"

name='folder out of reach'
mkdir -m 0700 "$tmp/closed"
probe '' nobody closed/run
exited "$name" 0
equal "$name: it is its all the same" "$nobody" "$(stat -c %u "$tmp/closed/run")"

name='symbolic link for a folder'
ln -s "$tmp/run" "$tmp/alias"
probe '' nobody alias
exited "$name" 3
said "$name" 'drop: E(LOOP|NOTDIR)'

name='no helper installed'
rm "$tmp/bin/netctld-helper"
probe '' nobody run
exited "$name" 0
said "$name" 'helper: no'
ok "$name: it says so" grep -q 'cannot start the helper' "$tmp/err"
limited "$name" "$nobody"
done_testing
