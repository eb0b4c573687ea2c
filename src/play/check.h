/*
 * check.h - what the names of a program mean, and whether everything fits together.
 *
 * All names share one name space. Variables that are set outside of functions are the program's;
 * the others are those of their function. Every mistake is reported.
 */
#ifndef TROUPE_PLAY_CHECK_H
#define TROUPE_PLAY_CHECK_H

#include "play/tree.h"
#include "play/trouble.h"
#include "play/units.h"
#include "universal/vocabulary.h"

typedef enum tpi_play_role {
    TPI_PLAY_DEVICE,
    TPI_PLAY_CHANNEL,
    TPI_PLAY_TASK,
    TPI_PLAY_FUNCTION,
    TPI_PLAY_VARIABLE, /* of the program */
    TPI_PLAY_LOCAL,    /* of a function */
} tpi_play_role;

typedef struct tpi_play_symbol {
    const char *name;
    tpi_play_role role;
    unsigned line;  /* where it was made */
    unsigned index; /* number of the device, channel, task or function; register of a variable */
    struct tpi_play_node *node; /* of devices, tasks and functions: the statement */
    struct tpi_play_symbol *next;
    /* Of a function. */
    unsigned value_count;
    unsigned local_count;           /* with its values */
    struct tpi_play_symbol *locals; /* values first, in order */
    /* Of a device. */
    const tpi_device_class *class; /* its first one; NULL if it is not known */
    tpi_command command;           /* what it is used with first; TPI_COMMANDS for nothing */
    bool needs_unit;               /* it is compared with a value that has a unit */
    /* Of a variable. */
    bool takes_others; /* not every `let` of the program gives it a text */
    unsigned set_at;   /* the number of the `let` on every way to this place; 0 for none */
    const struct tpi_play_node *set_by; /* that `let` */
} tpi_play_symbol;

/* What was found out. The memory is that of the tree. */
typedef struct tpi_play_names {
    tpi_play_symbol *first; /* all but the locals, in the order of the program */
    unsigned device_count, channel_count, task_count, function_count, variable_count;
    bool has_main; /* statements outside of tasks, handlers and functions */
} tpi_play_names;

/* Check a tree. False if there are mistakes or memory ran out. */
bool tpi_play_check(tpi_play_names *names, tpi_play_tree *tree, const tpi_vocabulary *vocabulary,
                    tpi_play_troubles *troubles);

/* The value of a number with its unit: an integer if it is one. False if it is too large. */
bool tpi_play_number_value(const tpi_play_node *node, bool *is_integer, double *value);

/* What the value of an expression is, as far as that is known before it runs. */
typedef enum tpi_play_sort {
    TPI_PLAY_ANY_SORT,
    TPI_PLAY_TRUTH_SORT,
    TPI_PLAY_TEXT_SORT
} tpi_play_sort;
tpi_play_sort tpi_play_sort_of(const tpi_play_node *node);

/* Whether the value is a text for certain, also that of a variable. */
bool tpi_play_is_text(const tpi_play_node *node);

/* The number of the built-in function with this name; -1 for none. */
int tpi_play_math_named(const char *name);
const char *tpi_play_math_name(unsigned function);

/* How many values a built-in function takes. */
unsigned tpi_play_math_takes(int function);

/* Whether a class is another one, or below it. */
bool tpi_play_class_is(const tpi_vocabulary *vocabulary, const tpi_device_class *class,
                       const char *name);

/* ---- Inside ---- */

typedef struct tpi_play_checker {
    tpi_play_tree *tree;              /* borrowed */
    tpi_play_names *names;            /* borrowed */
    const tpi_vocabulary *vocabulary; /* borrowed */
    tpi_play_troubles *troubles;      /* borrowed */
    tpi_play_symbol *function;        /* in which it is; NULL for none */
    unsigned parsed;                  /* how many mistakes the parser has reported */
    unsigned loops;
    const tpi_play_node *statement; /* that is checked; NULL for none */
    struct tpi_play_setting *set;   /* what is set on every way here, last first */
    unsigned set_count;
    unsigned set_from; /* `set_at` above this is of the same task or function */
} tpi_play_checker;

/* Report a mistake at a node. */
tpi_play_trouble *tpi_play_blame(tpi_play_checker *checker, const tpi_play_node *node,
                                 const char *format, ...) TP_PRINTF(3, 4);

/* Find the symbol of a name from where the checker is; NULL for none. */
tpi_play_symbol *tpi_play_find(const tpi_play_checker *checker, const char *name);

/* Whether a variable holds a text for certain where the checker is: each `let` of the program gives
 * it one, and one of them stands on every way here. */
bool tpi_play_holds_text(const tpi_play_checker *checker, const tpi_play_symbol *variable);

/* Make names: those of the whole program, before anything is checked. */
void tpi_play_declare(tpi_play_checker *checker);

/* Check an expression; its dimension. */
tpi_play_dimension tpi_play_check_expression(tpi_play_checker *checker, tpi_play_node *node);

/* Check a call of a function; its dimension. */
tpi_play_dimension tpi_play_check_call(tpi_play_checker *checker, tpi_play_node *node);

/* Offer the nearest name: functions if it is called, everything else if it is not. */
void tpi_play_offer_names(tpi_play_checker *checker, tpi_play_trouble *trouble, const char *word,
                          bool is_call);

/* Whether the parser has marked a word as a part of which this name stands: that it is not known is
 * no other mistake. */
bool tpi_play_is_excused(const tpi_play_checker *checker, const tpi_play_node *name);

/* Whether a name that is written with `set` is meant for a variable: no device is like it. */
bool tpi_play_seems_variable(const tpi_play_checker *checker, const tpi_play_node *name);

/* Report a name in an expression that is not known. */
void tpi_play_blame_unknown(tpi_play_checker *checker, const tpi_play_node *node);

/* ---- check_fits.c ---- */

/* Check an expression that must fit a dimension, and what that allows. */
void tpi_play_check_fits(tpi_play_checker *checker, tpi_play_node *node,
                         tpi_play_dimension dimension);

/* Check the number with which a reading is compared. */
void tpi_play_check_reading(tpi_play_checker *checker, const tpi_play_node *device,
                            const char *sign, const tpi_play_node *number);

/* For a text where a number must stand: offer the number, or the truth, that it names. */
void tpi_play_offer_number(tpi_play_trouble *trouble, const tpi_play_node *text, bool is_truth);

/* For a variable that holds a text: say where that comes from. */
void tpi_play_name_source(tpi_play_trouble *trouble, const tpi_play_node *variable);

/* For an unknown unit, offer the unit of a dimension, unless a unit with a similar name has that
 * dimension. */
void tpi_play_offer_unit(tpi_play_checker *checker, const tpi_play_node *number,
                         tpi_play_dimension dimension);

/* Report the unit of a number; what may have been meant. */
void tpi_play_blame_unit(tpi_play_checker *checker, const tpi_play_node *number, const char *fix,
                         const char *format, ...) TP_PRINTF(4, 5);

/* Check the statements that write to a device. */
void tpi_play_check_set(tpi_play_checker *checker, tpi_play_node *node);
void tpi_play_check_move(tpi_play_checker *checker, tpi_play_node *node);

/* Check a command with its values: of `do`. `results` is how many are needed. */
void tpi_play_check_command(tpi_play_checker *checker, tpi_play_node *at, const char *name,
                            tpi_play_node *values, unsigned results);

/* Find a name of a role; a mistake is reported. `what` is "a channel". NULL for none. */
tpi_play_symbol *tpi_play_need(tpi_play_checker *checker, tpi_play_node *name, tpi_play_role role,
                               const char *what);

/* Note what a device is used with. */
void tpi_play_use(tpi_play_symbol *device, tpi_command command);

#endif
