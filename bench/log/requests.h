/* requests.h - how long a request takes while a server records, beside the same without. */
#ifndef TROUPE_BENCH_LOG_REQUESTS_H
#define TROUPE_BENCH_LOG_REQUESTS_H

typedef struct log_requests {
    double idle_us, records_us; /* 99 of 100 requests of the best round are faster */
    double idle_median_us, records_median_us;
    unsigned long long messages; /* recorded meanwhile */
} log_requests;

/* Measure with a server of its own that records to this file; the file is removed. */
log_requests log_requests_measure(const char *path);

#endif
