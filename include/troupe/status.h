/*
 * status.h - how calls fail: a code for the program, a sentence for the human.
 *
 * 0 is success, failures are negative. A call whose failure an operator will ask about takes a
 * `tp_error *err` as its last argument; hot paths return the status alone.
 */
#ifndef TROUPE_STATUS_H
#define TROUPE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TP_API __attribute__((visibility("default")))
#define TP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TP_API
#define TP_PRINTF(text, first)
#endif

/* Every status: name, number, text. The enum, the texts and the manual come from this list. */
#define TP_STATUS_LIST(X)                                                                          \
    X(OK, 0, "success")                                                                            \
    X(E_NOMEM, -1, "out of memory")                                                                \
    X(E_INVALID, -2, "invalid argument")                                                           \
    X(E_SYNTAX, -3, "syntax error")                                                                \
    X(E_RANGE, -4, "out of range")                                                                 \
    X(E_SHORT, -5, "message too short")                                                            \
    X(E_COUNT, -6, "count too large")                                                              \
    X(E_SPACE, -7, "buffer too small")                                                             \
    X(E_UNKNOWN, -8, "unknown name")                                                               \
    X(E_EXISTS, -9, "exists already")                                                              \
    X(E_UNSUPPORTED, -10, "not supported")                                                         \
    X(E_IO, -11, "input or output failed")                                                         \
    X(E_LIMIT, -12, "over a limit")                                                                \
    X(E_TIMEOUT, -13, "no answer in time")                                                         \
    X(E_CLOSED, -14, "connection closed")                                                          \
    X(E_DENIED, -15, "not allowed")                                                                \
    X(E_DEVICE, -16, "the device failed")                                                          \
    X(E_REMOVED, -17, "the device was removed")                                                    \
    X(E_PANIC, -18, "nothing moves in a panic")                                                    \
    X(E_INTERRUPTED, -19, "interrupted")                                                           \
    X(PENDING, 1, "not yet answered")

typedef enum tp_status {
#define TP_STATUS_ENUM(name, number, text) TP_##name = number,
    TP_STATUS_LIST(TP_STATUS_ENUM)
#undef TP_STATUS_ENUM
} tp_status;

/* Why a call failed. Owned by the caller, may be NULL, written only on failure. */
typedef struct tp_error {
    tp_status code;
    char text[256];
} tp_error;

/* Fill `err` (if any) and return `code`, so that failing is one line. A long text is cut. */
TP_API tp_status tp_fail(tp_error *err, tp_status code, const char *format, ...) TP_PRINTF(3, 4);

/* Prefix "who: " to the text. Each layer that an error crosses adds its name once. Returns `code`.
 */
TP_API tp_status tp_wrap(tp_error *err, tp_status code, const char *who);

/* The name of the constant without TP_: "E_NOMEM". Never NULL. */
TP_API const char *tp_status_name(tp_status code);

/* The meaning of the code: "out of memory". Never NULL. */
TP_API const char *tp_status_text(tp_status code);

#ifdef __cplusplus
}
#endif
#endif
