/*
 * lease.pml - nothing moves for long without a word of whoever moved it.
 *
 * Two clients, the loop that hears them, and the worker of one actuator, with the steps of
 * src/safety/lease.c, claim.c and stop.c: every read and write of what threads share is a step of its own,
 * and a compare-and-swap is one step. Spin tries all orders of all steps, for any number of
 * messages.
 *
 * Time. It is always NOW; a tick moves all that is remembered one step into the past. The worker is
 * taken to finish a turn within a tick (SLACK says what follows from that). Clients and connections
 * may take any time, and so may the loop between two messages, which is then as deaf as its clients
 * are mute. In the variant STALL it may also stop for any time in the middle of a message.
 *
 * tests/system/70-safety-is-model-checked.py runs this, and mutants of it, which have to fail.
 */
#ifndef LEASE
#define LEASE 2 /* ticks without a word; 0 for no limit */
#endif
#ifndef VALID
#define VALID 1 /* ticks, of a command that says for how long it holds at most */
#endif

/* Ticks from the end of a lease to the stop: the worker's turn in which it ends, and the next one. If
 * the loop stops between two steps, also what was left of the lease that it was about to change. */
#ifdef STALL
#define LOOP_STALLS true
#define SLACK (2 + LEASE)
#else
#define LOOP_STALLS false
#define SLACK 2
#endif

#define NOW (SLACK + 2)
#define PAST 1 /* as long ago as anybody asks for */

/* Values that are no time. */
#define OVER 0
#define UNLIMITED 254
#define NEVER 255

#define FULL_LEASE (LEASE > 0 -> at + LEASE : UNLIMITED)
#define END_OF_LEASE (FULL_LEASE < limit -> FULL_LEASE : limit)

mtype = { MOVE, MOVE_SHORTLY, WORD, GONE };

/* The connections. A client that freezes, or whose cable is cut, says nothing more; one that closes
 * or dies says GONE. What is on its way has not been said: all that counts is when it is heard. */
chan net = [0] of { mtype, bit };

/* The loop: whom it hears, when it did, and whose lease it is. */
bool loop_busy;
bit who;
byte at = PAST;
byte before;
bit mover;
byte limit = UNLIMITED; /* no word renews its lease beyond this */

/* Between the two: the lease, the worker's inbox and its bell. */
byte ends = NEVER;
chan inbox = [2] of { bit };
bool bell;

/* The worker: what it looks at, and its wait, which ends at a time or with the bell. */
byte looked = PAST;
byte seen;
bool held;
bit caller, doer; /* whose command it is, and whose was carried out last */
bool waiting;
byte wait_until;
#define DUE (bell || wait_until <= NOW)
#define RESTS (waiting && !DUE)

/* The actuator. */
bool moving;

/* ---- What is only observed, and has to be true ------------------------------------------------ */

bool slow;     /* the worker's turn has taken a tick already */
byte until[2]; /* when what each client may do ends */
bool handing;  /* a command was heard that is not in the inbox yet */
bool refused;  /* the newest command */

/* Who answers for what moves: whoever gave the newest command; if that was refused, whoever's command
 * it is that is still being carried out. */
#define KEEPER (refused -> doer : mover)

/* At every tick: what moves is kept moving by somebody who may. */
inline check_in_time()
{
    assert(!moving || NOW <= until[KEEPER] + SLACK)
}

/* When nothing happens any more. */
inline check_at_the_end()
{
    assert(!moving || until[KEEPER] == UNLIMITED);
    assert(empty(inbox))
}

/* When the worker stops something: its mover may not move it any more. When it finds a command too late:
 * so it is, or there is a newer one. */
inline check_stop()
{
    assert(LOOP_STALLS || NOW >= until[mover])
}
inline check_late()
{
    assert(LOOP_STALLS || NOW >= until[caller] || handing || len(inbox) > 0)
}

/* ---- Clients --------------------------------------------------------------------------------- */

#define SAYS(what) net ! what, 0 :: net ! what, 1

proctype Clients()
{
    do
    :: SAYS(MOVE)
    :: SAYS(MOVE_SHORTLY)
    :: SAYS(WORD)
    :: SAYS(GONE) /* and it may come again */
    :: break
    od
}

/* ---- The loop -------------------------------------------------------------------------------- */

inline note_move(valid_until)
{
    until[who] = (FULL_LEASE < valid_until -> FULL_LEASE : valid_until);
    handing = true;
    refused = false
}

/* tpi_lease_extend(). */
inline take_lease(valid_until)
{
    d_step {
        limit = valid_until;
        ends = END_OF_LEASE;
        mover = who
    }
}

/* The command goes to the worker. */
inline post()
{
    d_step { inbox ! who; handing = false }
    bell = true
}

/* The rest of tpi_lease_renew(), after a load: a compare-and-swap. */
inline renew()
{
    d_step {
        if
        :: before != NEVER && before != OVER && ends == before ->
            ends = END_OF_LEASE;
            until[who] = (FULL_LEASE < limit -> FULL_LEASE : limit)
        :: else
        fi
    }
}

/* The same of tpi_lease_end(), and the worker is woken. */
inline end_lease()
{
    d_step {
        if
        :: before != NEVER && ends == before -> ends = OVER
        :: else
        fi;
        until[who] = (until[who] < NOW -> until[who] : NOW)
    }
    bell = true
}

inline rest()
{
    d_step { loop_busy = false; what = 0; who = 0; at = PAST; before = OVER }
}

proctype Loop()
{
    mtype what;

end_of_loop:
    do
    :: atomic { net ? what, who -> loop_busy = true; at = NOW }
       if
       :: atomic { what == MOVE && nfull(inbox) -> note_move(UNLIMITED); take_lease(UNLIMITED) } post()
       :: atomic { what == MOVE_SHORTLY && nfull(inbox) -> note_move(at + VALID); take_lease(at + VALID) } post()
       :: atomic { what == WORD && mover == who -> before = ends } renew()
       :: atomic { what == GONE && mover == who -> before = ends } end_lease()
       :: (what == MOVE || what == MOVE_SHORTLY) && full(inbox) /* refused before it changes anything */
       :: what == WORD && mover != who
       :: what == GONE && mover != who
       fi;
       rest()
    od
}

/* ---- The worker ------------------------------------------------------------------------------ */

inline halt()
{
    d_step { moving = false; doer = 0; refused = false; until[1 - mover] = PAST }
}

/* tpi_lease_take_expired(), and the actuator is stopped. */
inline stop_if_expired()
{
    d_step { looked = NOW; seen = ends }
    do
    :: seen != NEVER && seen <= looked ->
        d_step {
            if
            :: ends == seen -> ends = NEVER; seen = UNLIMITED; check_stop()
            :: else -> seen = ends
            fi
        }
        if
        :: seen == UNLIMITED -> halt(); break
        :: else
        fi
    :: else -> break
    od;
    atomic { looked = PAST; seen = OVER }
}

/* tpi_lease_is_held(). */
inline look_at_lease()
{
    if
    :: ends != NEVER && ends > NOW -> held = true
    :: else -> held = false; check_late()
    fi
}

/* The driver's operation, which may refuse. A refused command of somebody who has taken the lease of
 * another leaves nothing moving. */
inline carry_out()
{
    if
    :: held -> d_step { moving = true; doer = caller; refused = false }
    :: held ->
        if
        :: doer != caller -> halt()
        :: else -> refused = moving && !handing && len(inbox) == 0
        fi
    :: !held
    fi;
    d_step { held = false; caller = 0 }
}

proctype Worker()
{
    do
    :: bell = false;
       stop_if_expired();
       do
       :: atomic { inbox ? caller -> look_at_lease() } carry_out()
       :: empty(inbox) -> break
       od;
       atomic { wait_until = (ends == UNLIMITED -> NEVER : ends); waiting = true; slow = false }
end_of_turn:
       d_step { DUE -> waiting = false; wait_until = NEVER }
    od
}

/* ---- Time ------------------------------------------------------------------------------------ */

inline age(time)
{
    time = (time > PAST && time < UNLIMITED -> time - 1 : time)
}

proctype Clock()
{
end_of_time:
    do
    :: d_step {
           (!loop_busy || LOOP_STALLS) && (RESTS || !slow) && (ends < UNLIMITED || !RESTS) ->
           slow = !RESTS;
           age(at);
           age(before);
           age(ends);
           age(limit);
           age(looked);
           age(seen);
           age(wait_until);
           age(until[0]);
           age(until[1]);
           check_in_time()
       }
    od
}

proctype End()
{
    timeout -> check_at_the_end()
}

init {
    atomic {
        until[0] = PAST;
        until[1] = PAST;
        run Clients();
        run Loop();
        run Worker();
        run Clock();
        run End()
    }
}
