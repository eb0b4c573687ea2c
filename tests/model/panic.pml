/*
 * panic.pml - in a panic everything stops, stays so until it is reset, and a reset ends what it means.
 *
 * Those who raise and reset it, the thread that does so for signals, the loop that takes commands,
 * and the worker of one actuator, with the steps of src/safety/panic.c and stop.c: every read and
 * write of the epoch, the bells and the inbox is a step of its own. Spin tries all orders.
 *
 * The actuator is moved by commands, and by the driver's own polls, which go on with what the last
 * command began. Both look at the epoch right before they write to the line, as every port does; the
 * write that is under way when a panic comes still goes out. In the variant FORGETFUL the driver's
 * halt stops the actuator and forgets to give up what it was doing.
 *
 * tests/system/70-safety-is-model-checked.py runs this, and mutants of it, which have to fail.
 */
#define COMMANDS 2

#define IS_ON(e) ((e) % 2 == 1)
#define PANICS(e) (((e) + 1) / 2) /* how many there were up to an epoch */

byte epoch;
bool lock;
bool bell;  /* the worker's */
bool alarm; /* rung by the signal handler */
chan inbox = [COMMANDS] of { byte }; /* commands, with the epoch in which they came */

/* The worker, its driver, and the actuator. */
byte handled; /* the epoch that it has acted on */
bool target;  /* the driver goes on with a command */
bool moving;

/* ---- What is only observed, and has to be true ------------------------------------------------ */

byte began_in; /* the epoch in which the command came that moves it */
bool owed;     /* something was moving, or about to, when a panic came, and was not stopped since */
#ifdef FORGETFUL
#define MOVES moving
#define KEEPS_TARGET target
#else
#define MOVES (moving || target)
#define KEEPS_TARGET false
#endif

bool writing;  /* the line's check has passed, the bytes are not out yet */

/* Once the worker has acted, nothing moves for as long as the panic stays. */
#define LOOSE (IS_ON(epoch) && handled == epoch && MOVES)

proctype Monitor()
{
end_of_monitor:
    d_step { LOOSE -> assert(false) }
}

/* What is stopped is what a panic was raised for, and not what began after it. */
inline check_stop(now)
{
    assert(!moving || PANICS(began_in) < PANICS(now))
}

/* Nothing that came before a panic begins in it or after it. */
inline check_begin()
{
    assert(!IS_ON(epoch) && came == epoch)
}

/* When nothing happens any more. */
inline check_at_the_end()
{
    assert(!IS_ON(epoch) || !MOVES);
    assert(!owed);
    assert(empty(inbox) && !lock)
}

/* ---- Raising and resetting ------------------------------------------------------------------- */

/* tpi_panic_raise(). */
inline raise_panic()
{
    atomic { !lock -> lock = true }
    if
    :: !IS_ON(epoch) -> d_step { epoch++; owed = owed || moving || target || writing; assert(IS_ON(epoch)) }
    :: else
    fi;
    bell = true;
    lock = false
}

/* tpi_panic_reset(). */
inline reset_panic(meant)
{
    atomic { !lock -> lock = true }
    if
    :: IS_ON(epoch) && epoch == meant -> d_step { epoch++; assert(epoch == meant + 1) } bell = true
    :: else
    fi;
    lock = false
}

proctype Raiser()
{
    if
    :: raise_panic()
    :: true
    fi
}

proctype Signal()
{
    if
    :: alarm = true
    :: true
    fi
}

proctype Alarm()
{
end_of_alarm:
    alarm -> alarm = false; raise_panic()
}

/* tpi_panic_look(), and some time later the reset of what was seen. */
proctype Resetter()
{
    byte seen;

    atomic { !lock -> seen = epoch }
    reset_panic(seen)
}

/* ---- The loop -------------------------------------------------------------------------------- */

proctype Loop()
{
    byte left = COMMANDS;
    byte came;

    do
    :: left > 0 ->
        left--;
        came = epoch;
        if
        :: !IS_ON(came) -> inbox ! came; bell = true
        :: else /* refused */
        fi;
        came = 0
    :: break
    od
}

/* ---- The worker ------------------------------------------------------------------------------ */

/* The driver's halt(). */
inline halt()
{
    d_step { moving = false; target = KEEPS_TARGET; owed = false; began_in = 0 }
}

/* A panic since the last time stops everything, even if it is over already. */
inline serve_panic()
{
    e = epoch;
    if
    :: PANICS(e) != PANICS(handled) -> check_stop(e); halt()
    :: else
    fi;
    handled = e
}

/* What a port does: look, and write. */
inline write()
{
    d_step { e = epoch; writing = !IS_ON(e) }
    if
    :: writing -> d_step { moving = true; writing = false }
    :: else
    fi
}

/* A command, unless there was a panic since it came. */
inline carry_out()
{
    if
    :: d_step { came == epoch -> check_begin() }
       d_step { target = true; began_in = came }
       write()
    :: came != epoch
    fi
}

proctype Worker()
{
    byte e, came;

    do
    :: bell = false;
       serve_panic();
       do
       :: inbox ? came -> serve_panic(); carry_out(); came = 0
       :: empty(inbox) -> break
       od;
       if
       :: target -> write()
       :: else
       fi;
end_of_turn:
       bell
    od
}

proctype End()
{
    timeout -> check_at_the_end()
}

init {
    atomic {
        run Raiser();
        run Signal();
        run Alarm();
        run Resetter();
        run Resetter();
        run Loop();
        run Worker();
        run Monitor();
        run End()
    }
}
