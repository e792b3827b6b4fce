/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: nsidle [-t SEC]: ends when the kernel has taken down all network namespaces that were given up before,
 * see nsidle.h. Exit status 1 if it cannot tell, or not after SEC (600) seconds.
 */
#include "nsidle.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	unsigned sec = 600;
	int r;

	if (argc == 3 && strcmp(argv[1], "-t") == 0)
		sec = (unsigned)atoi(argv[2]);
	else if (argc != 1)
		errx(2, "usage: nsidle [-t SEC]");
	r = nsidle_wait(sec * 1000);
	if (r < 0)
		errx(1, "%s", strerror(-r));
	return 0;
}
