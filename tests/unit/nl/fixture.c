/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: a requester before a scripted kernel (fixture.h). */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "fixture.h"

enum { WAIT_SEC = 10 };

int fixture_set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	script_init(&f->script);
	sem_init(&f->woken, 0, 0);
	*state = f;
	return 0;
}

int fixture_tear_down(void **state)
{
	struct fixture *f = *state;

	nctl_requester_freep(&f->requester);
	assert_int_equal(f->script.alive, 0);
	script_fini(&f->script);
	sem_destroy(&f->woken);
	free(f);
	return 0;
}

static void fixture_wake(void *userdata)
{
	struct fixture *f = userdata;

	sem_post(&f->woken);
}

struct fixture *fixture_start(void **state, void (*on_send)(struct script *, const struct nlmsghdr *, size_t),
	const struct nctl_requester_options *opts)
{
	struct fixture *f = *state;

	f->script.on_send = on_send;
	assert_int_equal(nctl_requester_new(&f->script.kernel, opts, fixture_wake, f, &f->requester), 0);
	return f;
}

struct nctl_result *fixture_wait(struct fixture *f)
{
	struct nctl_result *r;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_SEC;
	while (!(r = nctl_requester_pop(f->requester)))
		assert_int_equal(sem_timedwait(&f->woken, &until), 0);
	return r;
}
