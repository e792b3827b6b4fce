/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Where the daemon's messages go, decided once at start: to the journal, if stderr is connected to it,
 * so that the priority is a field and not text; else to stderr as one line a message, in one write. Text of
 * others (names of files and devices, words of the kernel) cannot forge a line or reach a terminal's
 * controls. errno is as before. Used by everything in daemon/ but the client.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>

/* The place in our source is no use to the reader of a log. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "log/log.h"

#define MESSAGE_MAX 4096

static const char *log_ident = "netctld";
static int log_level = LOG_INFO;
static bool log_journal;

/* systemd.exec(5): JOURNAL_STREAM is "DEVICE:INODE" of the stream that the service manager connected. */
static bool stderr_is_journal(void)
{
	const char *env = getenv("JOURNAL_STREAM");
	uintmax_t dev, ino;
	struct stat st;

	if (!env || sscanf(env, "%" SCNuMAX ":%" SCNuMAX, &dev, &ino) != 2)
		return false;
	return fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

void nd_log_open(const char *ident, int max_priority)
{
	log_ident = ident;
	log_level = max_priority;
	log_journal = stderr_is_journal();
}

void nd_log_set_level(int max_priority)
{
	log_level = max_priority;
}

static int send_journal(int priority, const char *message)
{
	char msg[MESSAGE_MAX + 8], prio[16], ident[64];
	struct iovec iov[3] = {
		{msg, (size_t)snprintf(msg, sizeof(msg), "MESSAGE=%s", message)},
		{prio, (size_t)snprintf(prio, sizeof(prio), "PRIORITY=%d", priority & LOG_PRIMASK)},
		{ident, (size_t)snprintf(ident, sizeof(ident), "SYSLOG_IDENTIFIER=%.40s", log_ident)},
	};

	return sd_journal_sendv(iov, 3);
}

static void send_stderr(int priority, const char *message)
{
	static const char *const words[] = {
		"emergency: ", "alert: ", "critical: ", "error: ", "warning: ", "", "", "debug: "};
	char line[2 * MESSAGE_MAX];
	size_t n = (size_t)snprintf(line, 64, "%.40s: %s", log_ident, words[priority & LOG_PRIMASK]);

	for (const char *p = message; *p && n < sizeof(line) - 8; p++) {
		if (*p == '\n') {
			memcpy(line + n, "\n\t", 2);
			n += 2;
		} else {
			line[n++] = (unsigned char)*p < ' ' && *p != '\t' ? '?' : *p == 0x7f ? '?' : *p;
		}
	}
	line[n++] = '\n';
	/* Nobody can be told that this failed. */
	if (write(STDERR_FILENO, line, n) < 0)
		return;
}

void nd_log(int priority, const char *fmt, ...)
{
	char message[MESSAGE_MAX];
	int saved = errno;
	size_t len;
	va_list ap;

	if ((priority & LOG_PRIMASK) > log_level)
		return;
	va_start(ap, fmt);
	if (vsnprintf(message, sizeof(message), fmt, ap) < 0)
		message[0] = '\0';
	va_end(ap);
	len = strlen(message);
	while (len > 0 && message[len - 1] == '\n')
		message[--len] = '\0';
	if (!log_journal || send_journal(priority, message) < 0)
		send_stderr(priority, message);
	errno = saved;
}
