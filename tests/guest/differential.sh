#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The fake kernel against the guest's, with the link kinds that need modules. Many at once, since they mostly wait for
# the second that linkwatch may take. More of them: tests/guest/run with DIFFERENTIAL_N=… in the environment.
. "$NETCTLD_SOURCE/tests/lib.sh"

diff=$NETCTLD_BUILD/tests/fake/differential
ok 'the fake kernel agrees with a real one' "$diff" --kinds all -n "${DIFFERENTIAL_N:-1000}" -j 60

done_testing
