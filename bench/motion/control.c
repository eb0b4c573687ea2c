/* control.c - see control.h. */
#include "control.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "loop/inbox.h"
#include "platform/thread.h"
#include "robot.h"

enum { MOST_ITEMS = 4096, SKEW_THREADS = 3 };

static void start_thread(tpi_thread **out, const char *name, void (*run)(void *), void *context)
{
    tp_error err = {.text = ""};

    if (tpi_thread_start(out, name, run, context, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
}

/* The control has the priority of the threads that write to devices. */
static void be_like_a_device(void)
{
    tp_error err = {.text = ""};

    tpi_thread_be_prompt();
    if (robot_realtime > 0 && tpi_thread_set_realtime(robot_realtime, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
}

static void start_bell(tpi_bell *bell)
{
    tp_error err = {.text = ""};

    if (tpi_bell_init(bell, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
}

/* ---- A timer with one hop -------------------------------------------------------------------- */

struct item {
    tpi_item item;
    int64_t due_ns;
};

static struct {
    tpi_bell timer_bell, writer_bell;
    tpi_inbox inbox;
    struct item items[MOST_ITEMS];
    tpi_thread *timer, *writer;
    int64_t start_ns, period_ns;
    atomic_bool quit;
    bench_spread late;
} hop;

static void ring_writer(void *context)
{
    (void)context;
    tpi_bell_ring(&hop.writer_bell);
}

static void run_timer(void *context)
{
    (void)context;
    be_like_a_device();
    for (unsigned i = 0; !atomic_load(&hop.quit); i++) {
        struct item *item = &hop.items[i % MOST_ITEMS];

        item->due_ns = hop.start_ns + hop.period_ns * 2 / 3 + i * hop.period_ns;
        if (tpi_wait(&hop.timer_bell.fd, 1, item->due_ns) == 0) {
            tpi_inbox_post(&hop.inbox, &item->item);
        }
    }
}

static void run_writer(void *context)
{
    (void)context;
    be_like_a_device();
    while (!atomic_load(&hop.quit)) {
        tpi_wait(&hop.writer_bell.fd, 1, TP_NEVER);
        tpi_bell_silence(&hop.writer_bell);
        for (tpi_item *item = tpi_inbox_take(&hop.inbox); item != NULL; item = item->next) {
            spread_add(&hop.late, robot_now_ns() - ((struct item *)item)->due_ns);
        }
    }
}

void control_begin(int64_t start_ns, int64_t period_ns)
{
    hop.start_ns = start_ns;
    hop.period_ns = period_ns;
    hop.late = (bench_spread){0};
    atomic_store(&hop.quit, false);
    start_bell(&hop.timer_bell);
    start_bell(&hop.writer_bell);
    tpi_inbox_init(&hop.inbox, ring_writer, NULL);
    start_thread(&hop.writer, "writer", run_writer, NULL);
    start_thread(&hop.timer, "timer", run_timer, NULL);
}

void control_end(bench_spread *late)
{
    atomic_store(&hop.quit, true);
    tpi_bell_ring(&hop.timer_bell);
    tpi_thread_join(hop.timer);
    tpi_bell_ring(&hop.writer_bell);
    tpi_thread_join(hop.writer);
    tpi_bell_fini(&hop.timer_bell);
    tpi_bell_fini(&hop.writer_bell);
    *late = hop.late;
}

/* ---- Three threads at one instant ------------------------------------------------------------ */

static struct {
    tpi_bell bells[SKEW_THREADS];
    tpi_thread *threads[SKEW_THREADS];
    unsigned rounds;
    int64_t start_ns, period_ns;
    int64_t woken_ns[SKEW_THREADS][MOST_FRAMES];
} skewed;

static void run_waiter(void *context)
{
    const int i = (int)(intptr_t)context;

    be_like_a_device();
    for (unsigned k = 0; k < skewed.rounds; k++) {
        tpi_wait(&skewed.bells[i].fd, 1, skewed.start_ns + k * skewed.period_ns);
        skewed.woken_ns[i][k] = robot_now_ns();
    }
}

void control_skew_begin(int64_t start_ns, int64_t period_ns, unsigned rounds)
{
    skewed.rounds = rounds < MOST_FRAMES ? rounds : MOST_FRAMES;
    skewed.period_ns = period_ns;
    skewed.start_ns = start_ns + period_ns / 3;
    for (int i = 0; i < SKEW_THREADS; i++) {
        start_bell(&skewed.bells[i]);
        start_thread(&skewed.threads[i], "waiter", run_waiter, (void *)(intptr_t)i);
    }
}

void control_skew_end(bench_spread *skew)
{
    for (int i = 0; i < SKEW_THREADS; i++) {
        tpi_thread_join(skewed.threads[i]);
        tpi_bell_fini(&skewed.bells[i]);
    }
    for (unsigned k = 0; k < skewed.rounds; k++) {
        int64_t first = INT64_MAX, last = 0;

        for (int i = 0; i < SKEW_THREADS; i++) {
            const int64_t at = skewed.woken_ns[i][k];

            first = at < first ? at : first;
            last = at > last ? at : last;
        }
        spread_add(skew, last - first);
    }
}

/* ---- A byte to a thread, and one hop --------------------------------------------------------- */

static struct {
    int ends[2]; /* where a byte is sent, and where it is read */
    tpi_bell bell, done;
    tpi_thread *reader, *writer;
    atomic_bool quit;
    atomic_llong arrived_ns;
} byte;

/* As the loop of the server, it has no priority of its own. */
static void run_reader(void *context)
{
    char one;

    (void)context;
    while (recv(byte.ends[1], &one, 1, 0) == 1) {
        tpi_bell_ring(&byte.bell);
    }
    atomic_store(&byte.quit, true);
    tpi_bell_ring(&byte.bell);
}

static void run_hop(void *context)
{
    (void)context;
    be_like_a_device();
    for (;;) {
        tpi_wait(&byte.bell.fd, 1, TP_NEVER);
        tpi_bell_silence(&byte.bell);
        if (atomic_load(&byte.quit)) {
            return;
        }
        atomic_store(&byte.arrived_ns, robot_now_ns());
        tpi_bell_ring(&byte.done);
    }
}

void control_hop_begin(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    const int one = 1;

    if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&at, &length) != 0) {
        bench_give_up("no port for the control");
    }
    byte.ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(byte.ends[0], (struct sockaddr *)&at, sizeof at) != 0) {
        bench_give_up("no connection for the control");
    }
    byte.ends[1] = accept(listener, NULL, NULL);
    (void)close(listener);
    (void)setsockopt(byte.ends[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    atomic_store(&byte.quit, false);
    start_bell(&byte.bell);
    start_bell(&byte.done);
    start_thread(&byte.writer, "hop", run_hop, NULL);
    start_thread(&byte.reader, "reader", run_reader, NULL);
}

int64_t control_hop(void)
{
    const int64_t sent = robot_now_ns();

    if (send(byte.ends[0], "x", 1, MSG_NOSIGNAL) != 1) {
        bench_give_up("the control has ended");
    }
    tpi_wait(&byte.done.fd, 1, TP_NEVER);
    tpi_bell_silence(&byte.done);
    return atomic_load(&byte.arrived_ns) - sent;
}

void control_hop_end(void)
{
    (void)close(byte.ends[0]);
    tpi_thread_join(byte.reader);
    tpi_thread_join(byte.writer);
    (void)close(byte.ends[1]);
    tpi_bell_fini(&byte.bell);
    tpi_bell_fini(&byte.done);
}
