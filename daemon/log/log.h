/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The log of the daemon (S17: the place that decides logs, once). To the journal with fields when stderr is
 * connected to it (sd_journal_print(3), $JOURNAL_STREAM), else readable lines on stderr. Priorities of syslog(3).
 */
void nd_log_open(const char *ident, int max_priority);
void nd_log_set_level(int max_priority);
void nd_log(int priority, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define nd_error(...)  nd_log(3, __VA_ARGS__)
#define nd_warn(...)   nd_log(4, __VA_ARGS__)
#define nd_notice(...) nd_log(5, __VA_ARGS__)
#define nd_info(...)   nd_log(6, __VA_ARGS__)
#define nd_debug(...)  nd_log(7, __VA_ARGS__)
