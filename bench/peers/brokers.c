/* brokers.c - Redis and mosquitto, with a source that is their client; Troupe and the floor. See
 * system.h. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/endian.h"
#include "bench.h"
#include "server/dial.h"
#include "system.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/player.h"
#include "troupe/interfaces/position2d.h"

/* Start a broker that ends with this process. */
static void start_broker(peer_flow *flow, char *const *arguments)
{
    const pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        freopen("/dev/null", "w", stdout);
        freopen("/dev/null", "w", stderr);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    if (pid < 0) {
        bench_give_up("cannot fork");
    }
    flow->broker = pid;
}

/* Messages for a broker, back to back, with stamps to renew. */
enum { MOST_AT_ONCE = 32, MOST_FRAME = SCAN_SIZE + 128 };

struct batch {
    int fd;
    size_t prefix; /* bytes before the scan of a message */
    size_t frame;
    unsigned char bytes[MOST_AT_ONCE * MOST_FRAME];
};

static void batch_init(struct batch *batch, const void *prefix, size_t prefix_size,
                       const void *suffix, size_t suffix_size)
{
    batch->prefix = prefix_size;
    batch->frame = prefix_size + SCAN_SIZE + suffix_size;
    for (int i = 0; i < MOST_AT_ONCE; i++) {
        unsigned char *at = batch->bytes + (size_t)i * batch->frame;
        memcpy(at, prefix, prefix_size);
        memcpy(at + prefix_size + SCAN_SIZE, suffix, suffix_size);
    }
}

static void batch_send(struct batch *batch, int count)
{
    for (int i = 0; i < count; i++) {
        source_stamp(batch->bytes + (size_t)i * batch->frame + batch->prefix);
    }
    dial_send(batch->fd, batch->bytes, (size_t)count * batch->frame);
}

/* ---- Redis -------------------------------------------------------------------------------------
 */

#define REDIS_BEFORE "*3\r\n$7\r\nmessage\r\n$4\r\nscan\r\n$1884\r\n"

static void redis_join(int fd, bool flat)
{
    static const char subscribe[] = "*2\r\n$9\r\nSUBSCRIBE\r\n$4\r\nscan\r\n";
    static const char subscribed[] = "*3\r\n$9\r\nsubscribe\r\n$4\r\nscan\r\n:1\r\n";
    char answer[sizeof subscribed];

    (void)flat;
    dial_send(fd, subscribe, sizeof subscribe - 1);
    dial_receive(fd, answer, sizeof subscribed - 1);
}

/* The answer to PUBLISH is the number of readers: the batch is done when the last one is read. */
static void redis_send(void *context, int count)
{
    struct batch *batch = context;
    char answers[4096];

    batch_send(batch, count);
    for (int lines = 0; lines < count;) {
        ssize_t length = read(batch->fd, answers, sizeof answers);
        if (length <= 0) {
            bench_give_up("Redis has closed the connection");
        }
        while (length-- > 0) {
            lines += answers[length] == '\n';
        }
    }
}

static void redis_run(peer_flow *flow, int mode)
{
    static const char prefix[] = "*3\r\n$7\r\nPUBLISH\r\n$4\r\nscan\r\n$1884\r\n";
    static struct batch batch;
    const unsigned port = source_free_port();
    char text[16];

    snprintf(text, sizeof text, "%u", port);
    start_broker(flow, (char *const[]){"redis-server", "--bind", "127.0.0.1", "--port", text,
                                       "--save", "", "--appendonly", "no", "--maxclients", "4000",
                                       "--client-output-buffer-limit", "pubsub 0 0 0", NULL});
    batch_init(&batch, prefix, sizeof prefix - 1, "\r\n", 2);
    batch.fd = source_connect(port);
    peer_ready(flow, port);
    source_run(flow, mode, redis_send, &batch);
}

/* A request and an answer of the sizes that the others have. */
#define REDIS_KEY "$20\r\nposition2d:0:getgeom\r\n"
static const char redis_ask[] = "*2\r\n$3\r\nGET\r\n" REDIS_KEY;

static void redis_meet(int fd)
{
    char set[256];
    char answer[5];
    const int length =
        snprintf(set, sizeof set, "*3\r\n$3\r\nSET\r\n" REDIS_KEY "$104\r\n%0104d\r\n", 0);

    dial_send(fd, set, (size_t)length);
    dial_receive(fd, answer, sizeof answer); /* +OK */
}

const bench_system bench_redis = {
    .name = "Redis",
    .setting = "PUBLISH in batches of 32, no persistence, no limit for the output of readers",
    .run = redis_run,
    .join = redis_join,
    .before = sizeof REDIS_BEFORE - 1,
    .after = 2,
    .meet = redis_meet,
    .ask = redis_ask,
};

/* ---- mosquitto ---------------------------------------------------------------------------------
 */

/* A message of quality 0 to "scan": the length of what follows, the topic, the scan. */
static const unsigned char mqtt_prefix[] = {
    0x30, 0x80 | ((6 + SCAN_SIZE) & 0x7f), (6 + SCAN_SIZE) >> 7, 0, 4, 's', 'c', 'a', 'n'};

/* Each client of a broker needs a name of its own; the first letter is `kind`. */
static void mqtt_connect(int fd, char kind)
{
    static unsigned next;
    unsigned char hello[] = {0x10, 18, 0, 4, 'M', 'Q', 'T', 'T', 4,   2,
                             0,    0,  0, 6, 'b', '0', '0', '0', '0', '0'};
    unsigned char answer[4];
    char name[8];

    snprintf(name, sizeof name, "%05u", next++ % 100000);
    hello[14] = (unsigned char)kind;
    memcpy(hello + 15, name, 5);
    dial_send(fd, hello, sizeof hello);
    dial_receive(fd, answer, sizeof answer);
    if (answer[3] != 0) {
        bench_give_up("mosquitto refuses a client");
    }
}

static void mosquitto_join(int fd, bool flat)
{
    static const unsigned char subscribe[] = {0x82, 9, 0, 1, 0, 4, 's', 'c', 'a', 'n', 0};
    unsigned char answer[5];

    (void)flat;
    mqtt_connect(fd, 'r');
    dial_send(fd, subscribe, sizeof subscribe);
    dial_receive(fd, answer, sizeof answer);
}

static void mosquitto_send(void *context, int count)
{
    batch_send(context, count);
}

/* A broker that changes its user is not ended when the benchmark is. */
static void write_configuration(const char *path, unsigned port)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        bench_give_up("cannot write %s", path);
    }
    fprintf(file,
            "listener %u 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\n"
            "log_type none\nmax_queued_messages 0\nuser root\n",
            port);
    fclose(file);
}

static void mosquitto_run(peer_flow *flow, int mode)
{
    static struct batch batch;
    const unsigned port = source_free_port();
    char path[] = "/tmp/troupe-bench-XXXXXX";
    const int fd = mkstemp(path);

    write_configuration(path, port);
    start_broker(flow, (char *const[]){"/usr/sbin/mosquitto", "-c", path, NULL});
    batch_init(&batch, mqtt_prefix, sizeof mqtt_prefix, "", 0);
    batch.fd = source_connect(port);
    close(fd);
    unlink(path);
    mqtt_connect(batch.fd, 's');
    peer_ready(flow, port);
    source_run(flow, mode, mosquitto_send, &batch);
}

const bench_system bench_mosquitto = {
    .name = "mosquitto",
    .setting = "quality of service 0, no persistence, no limit for queued messages",
    .run = mosquitto_run,
    .join = mosquitto_join,
    .before = sizeof mqtt_prefix,
};

/* ---- Troupe and the floor ----------------------------------------------------------------------
 */

static void put_request(unsigned char *at, unsigned interf, unsigned subtype, unsigned size)
{
    memset(at, 0, HEADER_SIZE);
    tpi_store_be32(at + 8, interf);
    tpi_store_be32(at + 16, TP_MSGTYPE_REQ);
    tpi_store_be32(at + 20, subtype);
    tpi_store_be32(at + 36, size);
}

static void troupe_open(int fd, unsigned interf, unsigned index)
{
    enum { BODY = 28 };
    unsigned char request[HEADER_SIZE + BODY] = {0};
    unsigned char reply[HEADER_SIZE + 512];

    put_request(request, TP_PLAYER_CODE, TP_PLAYER_REQ_DEV, BODY);
    tpi_store_be32(request + HEADER_SIZE + 8, interf);
    tpi_store_be32(request + HEADER_SIZE + 12, index);
    tpi_store_be32(request + HEADER_SIZE + 16, TP_OPEN_MODE);
    dial_send(fd, request, sizeof request);
    dial_receive(fd, reply, HEADER_SIZE);
    if (tpi_load_be32(reply + 16) != TP_MSGTYPE_RESP_ACK) {
        bench_give_up("Troupe refuses a reader");
    }
    dial_receive(fd, reply + HEADER_SIZE, tpi_load_be32(reply + 36));
}

static void troupe_join(int fd, bool flat)
{
    char greeting[GREETING_SIZE];

    dial_receive(fd, greeting, sizeof greeting);
    troupe_open(fd, TP_LASER_CODE, flat ? SUBJECT_FLAT : SUBJECT_PACED);
}

static void troupe_meet(int fd)
{
    char greeting[GREETING_SIZE];

    dial_receive(fd, greeting, sizeof greeting);
    troupe_open(fd, TP_POSITION2D_CODE, 0);
}

/* GET_GEOM of position2d:0, which answers on the loop. */
static const char ask_geometry[HEADER_SIZE] = {
    [11] = TP_POSITION2D_CODE, [19] = TP_MSGTYPE_REQ, [23] = TP_POSITION2D_REQ_GET_GEOM};

/* One laser for each pace; nothing flows from those that nobody reads. */
static void troupe_run(peer_flow *flow, int mode)
{
    (void)mode;
    subject_main(flow, 0);
}

const bench_system bench_troupe = {
    .name = "Troupe",
    .setting = "a driver on its thread; data is dropped for readers that are 1024 messages behind",
    .run = troupe_run,
    .join = troupe_join,
    .meet = troupe_meet,
    .ask = ask_geometry,
};

static void floor_meet(int fd)
{
    char greeting[GREETING_SIZE];

    dial_receive(fd, greeting, sizeof greeting);
}

static void floor_join(int fd, bool flat)
{
    char answer[GEOM_SIZE];

    (void)flat;
    floor_meet(fd);
    dial_send(fd, ask_geometry, sizeof ask_geometry); /* as Troupe's readers, which have asked */
    dial_receive(fd, answer, sizeof answer);
}

static void floor_run(peer_flow *flow, int mode)
{
    static const int modes[] = {
        [SOURCE_PACED] = FLOOR_PACED, [SOURCE_FLAT] = FLOOR_FLAT, [SOURCE_SILENT] = FLOOR_ANSWERS};

    floor_main(flow, modes[mode]);
}

const bench_system bench_floor = {
    .name = "floor",
    .setting = "sockets and libuv, writes of 64 KB flat out, one write for a scan at 100 Hz",
    .run = floor_run,
    .join = floor_join,
    .meet = floor_meet,
    .ask = ask_geometry,
};
