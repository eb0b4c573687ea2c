/*
 * motion_client.c - a motion client for processors that we emulate: the parts of the library that
 * need no operating system, on a plain socket. argv: the port of a server on this machine.
 *
 * It prints the description as the server told it, moves the head, and prints where it is then.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "client/motion/encode.h"
#include "client/motion/greet.h"
#include "client/motion/returns.h"

struct client {
    int fd;
    tpi_talk talk;
    tpi_greet greet;
    tpi_returns returns;
    tp_status status; /* of the greeting */
    tp_error err;
};

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static void take(void *context, const tpi_motion_record *record)
{
    struct client *c = context;
    size_t bytes = 0;
    tp_motion_reply *reply;

    if (c->status == TP_PENDING) {
        c->status = tpi_greet_take(&c->greet, &c->talk, record, now_ns(), &c->err);
        return;
    }
    reply = tpi_decode(record, now_ns(), &bytes);
    if (reply != NULL) {
        tpi_returns_add_take(&c->returns, reply, bytes);
    }
}

/* Send what is to be sent, and read once. */
static void turn(struct client *c)
{
    size_t length = 0, room = 0;
    const uint8_t *bytes = tpi_talk_unsent(&c->talk, &length);

    while (length > 0) {
        const ssize_t sent = write(c->fd, bytes, length);

        if (sent < 0) {
            fail("the connection is lost");
        }
        tpi_talk_gone(&c->talk, (size_t)sent);
        bytes = tpi_talk_unsent(&c->talk, &length);
    }
    uint8_t *place = tpi_talk_room(&c->talk, &room);
    const ssize_t came = place != NULL ? read(c->fd, place, room) : -1;
    if (came <= 0 || tpi_talk_came(&c->talk, (size_t)came, take, c, &c->err) != TP_OK) {
        fail(came <= 0 ? "the connection is lost" : c->err.text);
    }
}

static void greet(struct client *c, const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(port)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fail("the server cannot be reached");
    }
    strcpy(c->greet.name, "from afar");
    c->status = TP_PENDING;
    if (tpi_greet_begin(&c->greet, &c->talk, now_ns(), &c->err) != TP_OK) {
        fail(c->err.text);
    }
    while (c->status == TP_PENDING) {
        turn(c);
    }
    if (c->status != TP_OK) {
        fail(c->err.text);
    }
}

static void print_robot(const tp_motion_robot *robot)
{
    printf("%s: %u joints, %u dofs\n", robot->name, robot->joint_count, robot->dof_count);
    for (unsigned i = 0; i < robot->joint_count; i++) {
        for (unsigned k = 0; k < robot->joints[i].dof_count; k++) {
            const tp_motion_dof *dof = &robot->joints[i].dofs[k];

            printf("%s:%u %.6f %.6f %.6f\n", robot->joints[i].name, k, dof->lower, dof->upper,
                   dof->velocity);
        }
    }
}

/* A command of the head, until its final signal. */
static void move(struct client *c, uint16_t head)
{
    const tp_motion_command command = tp_motion_set(head, 0, -0.25, 0);
    const tpi_motion_header header = {.kind = TPI_MOTION_COMMAND, .id = 1, .flags = TPI_MOTION_ACK};
    tpi_talk_item item;
    tpi_encoded body;
    bool final = false;

    if (tpi_encode(&item, &body, &command, 5, &c->err) != TP_OK ||
        tpi_talk_put(&c->talk, &header, &item, 1, &c->err) != TP_OK) {
        fail(c->err.text);
    }
    while (!final) {
        tp_motion_reply *reply = tpi_returns_take(&c->returns, 5);

        if (reply == NULL) {
            turn(c);
            continue;
        }
        final = reply->as.signal.final != 0;
        printf("%s%s\n", tp_motion_signal_name(reply->as.signal.signal), final ? "" : ", started");
        free(reply);
    }
}

static void print_state(struct client *c, unsigned dof)
{
    static const tpi_motion_empty nothing;
    const tpi_motion_header header = {.kind = TPI_MOTION_QUERY, .id = 2};
    const tpi_talk_item item = {TPI_MOTION_ASK_STATE, 6, &nothing};
    tp_motion_reply *reply = NULL;

    if (tpi_talk_put(&c->talk, &header, &item, 1, &c->err) != TP_OK) {
        fail(c->err.text);
    }
    while ((reply = tpi_returns_take(&c->returns, 6)) == NULL) {
        turn(c);
    }
    printf("%.2f\n", reply->as.state.dofs[dof].position);
    free(reply);
}

int main(int argc, char **argv)
{
    static struct client c;

    if (argc != 2) {
        fail("usage: motion_client PORT");
    }
    greet(&c, argv[1]);
    const tp_motion_robot *robot = &c.greet.robot->robot;
    const int head = tp_motion_find_joint(robot, "head");
    print_robot(robot);
    printf("clock within %d ms\n", tpi_sync_error(&c.greet.sync, now_ns()) < 1000000000 ? 1000 : 0);
    move(&c, (uint16_t)head);
    print_state(&c, robot->joints[head].first_dof);
    close(c.fd);
    tpi_greet_fini(&c.greet);
    tpi_returns_fini(&c.returns);
    tpi_talk_fini(&c.talk);
    return 0;
}
