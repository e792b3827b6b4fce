# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What the scripts of the benchmarks share. A script sets what it likes, calls bench_options "$@", writes its plan
# (plan.h) to $out/plan, then calls bench_run and bench_report.
#
#   -n ROUNDS   rounds ($rounds)
#   -l LINKS    links ($links)
#   -o DIR      where plan, results and logs go ($out, absolute)
#   --native    in this kernel, as root, instead of in a guest ($native is 1)
#   --pin       keeps the guest on one processor of the host: steadier, and its system calls cost a third less, which
#               helps those most who make many of them
#   --smoke     passes when the benchmark works, whatever it measures ($smoke is 1)
#
# Environment: NETCTLD_BUILD, the build folder (default: build beside the sources). Measure a build made with
# meson setup --buildtype=release.

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P) || exit 2
source=$(cd "$bench/../.." && pwd -P) || exit 2
build=$(cd "${NETCTLD_BUILD:-$source/build}" 2>/dev/null && pwd -P) || {
	echo "no build folder, see NETCTLD_BUILD" >&2
	exit 2
}
export NETCTLD_BUILD=$build
tools=$build/tests/bench
rounds=5 links=1500 native=0 smoke=0 out=
pin=() # a command in front of the guest's
# The runtime folder of the daemon: in memory, as /run is.
state=/dev/shm/netctld-bench.$$

bench_options() {
	while [ $# -gt 0 ]; do
		case $1 in
		-n) rounds=$2 && shift ;;
		-l) links=$2 && shift ;;
		-o) out=$2 && shift ;;
		--native) native=1 ;;
		--pin) pin=(taskset -c "$(taskset -cp $$ | sed 's/.*[^0-9]//')") ;;
		--smoke) smoke=1 ;;
		*)
			sed -n '/^# Usage/,/^$/s/^# \{0,1\}//p' "$0" >&2
			exit 2
			;;
		esac
		shift
	done
	out=${out:-$build/bench/$(basename "$0")$([ "$native" = 0 ] || echo -native)}
	mkdir -p "$out" && out=$(cd "$out" && pwd -P) || exit 2
	[ -x "$build/daemon/netctld" ] && [ -x "$tools/bench-run" ] || {
		echo "$build: not built, try ninja -C $build" >&2
		exit 2
	}
	if [ "$native" = 1 ]; then
		results_dir=$out where="natively, $(uname -r), $(nproc) processors"
	else
		results_dir=/out where="in the guest, 1 processor${pin[0]:+, pinned}"
	fi
	if [ "$native" = 1 ] && [ "$(id -u)" != 0 ]; then
		echo 'SKIP: --native needs root, for big receive buffers'
		exit 77
	fi
}

# Steps for a variant: a daemon without a configuration, ready in $state.
bench_daemon_steps() {
	cat <<-END
		do rm -rf $state && mkdir -m 0711 $state && mkdir -m 0700 $state/conf $state/run
		daemon $state/run $build/daemon/netctld -l 4 -c $state/conf -r $state/run
	END
}

# The configuration with $links links: VLANs in a VRF or, natively, macvlans.
bench_write_job() { # FILE
	if [ "$native" = 0 ]; then
		sed "s/1\.\.1500/1..$links/" "$source/conf/examples/s1.yaml" >"$1"
		return
	fi
	cat >"$1" <<-END
		network:
		  version: 2
		  virtual-ethernets:
		    v0: {peer: v1}
		    v1: {peer: v0}
		  macvlans:
		    "m{1..$links}":
		      link: v0
		      mode: bridge
		      addresses: ["10.{n / 250}.{n % 250}.1/24"]
	END
}

bench_run() { # ROUNDS PLAN RESULTS SECONDS
	if [ "$native" = 1 ]; then
		"$tools/bench-run" -n "$1" "$out/$2" "$out/$3"
	else
		"${pin[@]}" "$source/tests/guest/run" -t "$4" -o "$out" "$tools/bench-run" -n "$1" "$out/$2" "/out/$3"
	fi
	status=$?
	rm -rf "$state"
	[ "$status" = 0 ] || exit "$status"
}

bench_report() { # ARG...: see report.py; its exit status says whether all targets are met
	if [ "$smoke" = 1 ]; then
		set -- --no-targets "$@"
	fi
	"$bench/report.py" "$@" "$out"
}
