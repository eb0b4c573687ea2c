/*
 * wire.h - the few messages of the Player protocol that trials send and read, on a plain socket.
 *
 * Written from docs/reference/protocol.md and not with Troupe's own client: a trial decides itself
 * when which byte is sent. Whatever fails ends the program with a sentence.
 */
#ifndef TROUPE_TRIALS_WIRE_H
#define TROUPE_TRIALS_WIRE_H

#include <stdbool.h>
#include <stdint.h>

enum { WIRE_DATA = 1, WIRE_COMMAND = 2, WIRE_REQUEST = 3, WIRE_ACK = 4, WIRE_NACK = 6 };
enum { WIRE_PLAYER = 1, WIRE_POSITION2D = 4, WIRE_DIO = 20 };
enum { WIRE_HEADER = 40, WIRE_MOST = 1 << 16 };

typedef struct wire_message {
    uint32_t interf;
    uint32_t index;
    uint32_t type;
    uint32_t subtype;
    double time_s;
    uint32_t seq;
    uint32_t size;
    unsigned char body[WIRE_MOST];
} wire_message;

void wire_die(const char *what);

/* Connect and take the greeting; waits. */
int wire_connect(const char *host, unsigned port);

/* Send all of a message; waits if it has to. */
void wire_send(int fd, uint32_t interf, uint32_t index, uint32_t type, uint32_t subtype,
               uint32_t seq, const void *body, uint32_t size);

/* The next whole message; waits. False at the end of the stream. */
bool wire_receive(int fd, wire_message *out);

/* The reply with this number; what comes before it is dropped. */
void wire_await(int fd, uint32_t seq, wire_message *out);

void wire_open(int fd, uint32_t interf, uint32_t index);
void wire_drive(int fd, uint32_t index, double speed_mps);

/* Values in bodies. */
void wire_put_u32(unsigned char *at, uint32_t value);
void wire_put_f64(unsigned char *at, double value);
uint32_t wire_get_u32(const unsigned char *at);
double wire_get_f64(const unsigned char *at);

#endif
