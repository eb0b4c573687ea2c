/*
 * timed.pml - commands that are posted ahead of time: none is early, and none is written once the
 * panic was seen, the lease has ended, or the grant was ended otherwise.
 *
 * The owner of one grant, the loop, a thread that raises and resets a panic, and the player, with the
 * steps of src/device/grant.c, grant_use.c and timed.c: every read and write of what threads share is
 * a step of its own, and a compare-and-swap is one step. Spin tries all orders of all steps.
 *
 * Four variants share the work: in the first one the owner renews its lease, or does not; with -DPANICS
 * there is a panic; with -DHOLD the owner holds and cancels; with -DTAKE another writer takes the
 * device. The last three have a lease that does not end.
 *
 * Time is a small number that ends. The player is taken to finish a turn within a tick (SLACK says
 * what follows from that); all others may take any time. The write that is under way when a grant
 * ends still goes out.
 *
 * tests/system/70-safety-is-model-checked.py runs this, and mutants of it, which have to fail.
 */
#define COMMANDS 2
#if defined(HOLD) || defined(TAKE) || defined(PANICS)
#define LEASE 100 /* beyond the end of time */
#define END_OF_TIME 2
#else
#define LEASES
#define LEASE 2
#define END_OF_TIME 5
#endif
#define SLACK 2 /* ticks: the player's turn in which a lease ends, and the next one */
#define NEVER 255

mtype = { FREE, WAITING, TAKEN, CANCELLED };
mtype = { LASTS, SILENT, PANIC, OVERRIDDEN, DONE };

byte now;
byte epoch; /* of the panic; the grant was given in epoch 0 */
bool bell;  /* the player's */

/* The grant. */
byte lease = LEASE; /* when it ends; NEVER once that was taken */
mtype ending = LASTS;
bool held;
byte shift;
mtype state[COMMANDS] = FREE;
byte key[COMMANDS]; /* the due time, less the shift when it was posted */
chan inbox = [COMMANDS] of { byte };

/* The player. */
bool in_heap[COMMANDS];
byte handled; /* the epoch that it has acted on */
bool finished;
bool waiting;
byte wait_until;
byte rests; /* when it looks next by itself, as the owner sees it */
#define DUE (bell || wait_until <= now)
#define RESTS (waiting && !DUE)

/* The actuator, moved by this grant. */
bool moving;

/* ---- What is only observed, and has to be true ------------------------------------------------ */

bool slow;               /* the player's turn has taken a tick already */
byte until = LEASE;      /* when what the owner may do ends */
byte due[COMMANDS];      /* when it may be written */
byte chosen = COMMANDS;  /* the player has found it to be due: the write is under way */
byte posted, ends_of[COMMANDS]; /* how often each was written, dropped or cancelled */

inline check_write(i)
{
    assert(now >= due[i]);
    assert(handled == 0 && !finished);
    assert(now <= until + SLACK);
    assert(state[i] == TAKEN)
}

inline check_in_time()
{
    assert(!moving || now <= until + SLACK)
}

/* When nothing happens any more. */
#define IS_OPEN(i) (i < posted && ends_of[i] == 0)
inline check_at_the_end()
{
    assert(ends_of[0] <= 1 && ends_of[1] <= 1);
    assert(finished || (ending == LASTS && epoch == 0 && lease > now));
    assert(!finished || (!IS_OPEN(0) && !IS_OPEN(1)));
    assert(finished || held || ((!IS_OPEN(0) || due[0] > now) && (!IS_OPEN(1) || due[1] > now)));
    assert(!moving || !finished)
}

/* ---- Any thread ------------------------------------------------------------------------------ */

/* tpi_grant_close(). */
inline close(why)
{
    d_step {
        if
        :: ending == LASTS -> ending = why
        :: else
        fi
    }
}

/* ---- The owner ------------------------------------------------------------------------------- */

/* tp_grant_post(). */
inline post(ahead)
{
    if
    :: ending == LASTS ->
        d_step {
            key[posted] = now + ahead - shift;
            due[posted] = now + ahead;
            now_due = now + ahead;
            state[posted] = WAITING
        }
        d_step { inbox ! posted; posted++ }
        if /* tpi_timed_posted(): a player that looks before the time comes finds it then */
        :: now_due < rests -> bell = true
        :: else
        fi;
        now_due = 0
    :: else
    fi
}

/* tp_grant_renew(): a look, a load, and a compare-and-swap. */
inline renew()
{
    if
    :: atomic { ending == LASTS && lease != NEVER && lease > now -> at = now }
       before = lease;
       d_step {
           if
           :: before != NEVER && lease == before -> lease = at + LEASE; until = at + LEASE
           :: else
           fi;
           before = 0;
           at = 0
       }
    :: else
    fi
}

/* tp_grant_cancel(), of one slot. */
inline cancel(i)
{
    d_step {
        if
        :: state[i] == WAITING -> state[i] = CANCELLED; ends_of[i]++
        :: else
        fi
    }
}

inline shift_due(i)
{
    due[i] = (i < posted && ends_of[i] == 0 && i != chosen -> due[i] + now - since : due[i])
}

/* tp_grant_hold() and tp_grant_resume(). */
inline hold()
{
    d_step { since = now; held = true }
    if
    :: d_step { shift = shift + now - since; shift_due(0); shift_due(1) }
       held = false;
       bell = true
    :: skip /* it stays so */
    fi;
    since = 0
}

proctype Owner()
{
    byte now_due;
#ifdef HOLD
    byte since;
    bool was_held;
#endif
#ifdef LEASES
    byte at, before;
#endif

    do
    :: posted < COMMANDS -> post(0)
    :: posted < COMMANDS -> post(1)
#ifdef HOLD
    :: cancel(0)
    :: !was_held -> was_held = true; hold()
#endif
#ifdef LEASES
    :: renew()
#endif
    :: close(DONE); bell = true; break
    :: break
    od
}

/* ---- The loop, and whoever raises a panic ---------------------------------------------------- */

/* Another writer takes the device. */
#ifdef TAKE
proctype Loop()
{
    if
    :: close(OVERRIDDEN); bell = true
    :: true
    fi
}
#endif

#ifdef PANICS
proctype Panic()
{
    if
    :: epoch++; bell = true;
       if
       :: epoch++; bell = true
       :: true
       fi
    :: true
    fi
}
#endif

/* ---- The player ------------------------------------------------------------------------------ */

inline drop(i)
{
    d_step {
        if
        :: state[i] == WAITING -> state[i] = TAKEN; ends_of[i]++
        :: else
        fi;
        in_heap[i] = false
    }
}

/* The inbox is taken as a whole. */
inline take_posted()
{
    d_step {
        do
        :: nempty(inbox) -> inbox ? i; in_heap[i] = true
        :: empty(inbox) -> break
        od;
        i = 0
    }
}

/* tpi_motion_serve(): a panic halts the device, even if it is over already. */
inline serve_panic()
{
    d_step {
        if
        :: epoch != handled -> moving = false; handled = epoch
        :: else
        fi
    }
}

/* end_of(). */
inline look_for_end()
{
    why = ending;
    if
#ifdef PANICS
    :: why == LASTS && epoch != 0 -> why = PANIC
#endif
    :: else
    fi;
    if
    :: why == LASTS ->
        d_step {
            if
#ifdef LEASES
            :: lease != NEVER && lease <= at -> lease = NEVER; why = SILENT
#endif
            :: else
            fi
        }
    :: else
    fi
}

/* What comes later is dropped by the owner, when it hears of the end. */
inline finish()
{
    close(why);
    take_posted();
    drop(0);
    drop(1);
    d_step { finished = true; moving = false; chosen = COMMANDS; at = 0; why = LASTS }
}

#define FIRST (in_heap[0] && (!in_heap[1] || key[0] <= key[1]) -> 0 : 1)
#define WAITS (in_heap[0] || in_heap[1])

/* first_due(): the command that is due, or COMMANDS. */
inline choose()
{
    d_step { at = now; i = COMMANDS }
    if
    :: WAITS && !held ->
        d_step {
            if
            :: key[FIRST] + shift <= at -> i = FIRST; chosen = i
            :: else
            fi
        }
    :: else
    fi
}

/* play_first(). */
inline play()
{
    look_for_end();
    if
    :: why != LASTS -> finish()
    :: else ->
        d_step {
            in_heap[i] = false;
            if
            :: state[i] == WAITING -> state[i] = TAKEN
            :: else -> i = COMMANDS
            fi
        }
        if
        :: i < COMMANDS -> d_step { check_write(i); ends_of[i]++; moving = true }
        :: else
        fi;
        chosen = COMMANDS
    fi;
    serve_panic()
}

inline serve()
{
    at = now;
    look_for_end();
    if
    :: why != LASTS -> finish()
    :: else ->
        take_posted();
        choose();
        do
        :: i < COMMANDS && !finished -> play(); choose()
        :: else -> break
        od
    fi
}

/* deadline_ns(). */
inline find_deadline()
{
    d_step {
        wait_until = (finished -> NEVER : lease);
        if
        :: !finished && WAITS && !held && key[FIRST] + shift < wait_until -> wait_until = key[FIRST] + shift
        :: else
        fi
    }
}

/* tpi_timed_rest(), which is how long the worker waits: what was posted meanwhile counts. */
inline wait()
{
    find_deadline();
    rests = wait_until;
    do
    :: !finished && nempty(inbox) -> take_posted(); find_deadline(); rests = wait_until
    :: finished || empty(inbox) -> break
    od;
    atomic {
        waiting = true;
        slow = false;
        at = 0;
        i = 0;
        why = LASTS
    }
}

proctype Player()
{
    byte at, i;
    mtype why;

    do
    :: bell = false;
       serve_panic();
       if
       :: !finished -> serve()
       :: else
       fi;
       wait();
end_of_turn:
       d_step { DUE -> waiting = false }
    od
}

/* When the owner hears of the end, it drops what the player has not seen. */
#ifndef HOLD
proctype Heard()
{
    byte i;

end_of_hearing:
    do
    :: finished && nempty(inbox) -> inbox ? i; drop(i)
    od
}
#endif

/* ---- Time ------------------------------------------------------------------------------------ */

proctype Clock()
{
end_of_time:
    do
    :: d_step { now < END_OF_TIME && (RESTS || !slow) -> slow = !RESTS; now++; check_in_time() }
    od
}

proctype End()
{
    timeout -> check_at_the_end()
}

init {
    atomic {
        run Owner();
#ifdef TAKE
        run Loop();
#endif
#ifdef PANICS
        run Panic();
#endif
        run Player();
#ifndef HOLD
        run Heard();
#endif
        run Clock();
        run End()
    }
}
