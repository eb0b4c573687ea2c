/* check_name.c - names that are not known: what may have been meant. */
#include <stdio.h>
#include <string.h>

#include "play/check.h"
#include "play/meant.h"

/* `light`, `button`: a name that is nearly a class stands for the device of that class, which may
 * have another name, or is not declared. */
static void offer_device(const tpi_play_checker *checker, tpi_play_trouble *trouble,
                         const char *word)
{
    char plain[64], sensor[64];

    if (trouble->fix[0] != '\0' || strchr(trouble->text, ':') != NULL || word[0] < 'a' ||
        word[0] > 'z' || strlen(word) > 40) {
        return;
    }
    snprintf(plain, sizeof plain, "%c%.45s", word[0] - 'a' + 'A', word + 1);
    snprintf(sensor, sizeof sensor, "%.50s Sensor", plain);
    const bool is_sensor = tpi_vocabulary_find(checker->vocabulary, sensor) >= 0;
    const int found = tpi_vocabulary_find(checker->vocabulary, is_sensor ? sensor : plain);
    if (found < 0) {
        return;
    }
    for (const tpi_play_symbol *s = checker->names->first; s != NULL; s = s->next) {
        if (s->role == TPI_PLAY_DEVICE &&
            s->class == tpi_vocabulary_class(checker->vocabulary, found)) {
            snprintf(trouble->fix, sizeof trouble->fix, "%.70s", s->name);
            return;
        }
    }
    snprintf(trouble->text, sizeof trouble->text,
             "there is no such name: declare it above with `device %.50s is %.50s`", word,
             is_sensor ? sensor : plain);
}

/* `drive 0 turn left`, `drive forward`: how fast is a number. */
static void offer_speed(const tpi_play_checker *checker, tpi_play_trouble *trouble,
                        const char *word)
{
    static const struct {
        const char *word, *fix;
        bool is_turn;
    } speeds[] = {
        {"left", "50", true},       {"right", "-50", true},      {"forward", "50", false},
        {"forwards", "50", false},  {"ahead", "50", false},      {"straight", "50", false},
        {"fast", "80", false},      {"slow", "20", false},       {"slowly", "20", false},
        {"backward", "-50", false}, {"backwards", "-50", false}, {"back", "-50", false},
        {"vorwärts", "50", false},  {"rückwärts", "-50", false}, {"links", "50", true},
        {"rechts", "-50", true},    {"schnell", "80", false},    {"langsam", "20", false},
    };

    for (unsigned i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        const tpi_play_kind kind =
            checker->statement != NULL ? checker->statement->kind : TPI_PLAY_STATEMENTS;
        if ((kind == TPI_PLAY_DRIVE_STATEMENT ||
             (kind == TPI_PLAY_MOVE_STATEMENT && !speeds[i].is_turn)) &&
            strcmp(word, speeds[i].word) == 0) {
            strcpy(trouble->text,
                   speeds[i].is_turn
                       ? "a number says how fast it turns: above 0 left, below 0 right"
                       : "a number says how fast: below 0 backwards, at most 100");
            strcpy(trouble->fix, speeds[i].fix);
        }
    }
}

/* A name that nothing is near to may be a text where texts stand: `say hello`. */
static void offer_text(const tpi_play_checker *checker, tpi_play_trouble *trouble, const char *word)
{
    const tpi_play_kind kind =
        checker->statement != NULL ? checker->statement->kind : TPI_PLAY_STATEMENTS;

    if (trouble->fix[0] == '\0' && strchr(trouble->text, ':') == NULL &&
        (kind == TPI_PLAY_PRINT_STATEMENT || kind == TPI_PLAY_SAY_STATEMENT ||
         kind == TPI_PLAY_SHOW_STATEMENT || kind == TPI_PLAY_SEND_STATEMENT)) {
        snprintf(trouble->fix, sizeof trouble->fix, "\"%.70s\"", word);
    }
}

/* A value or variable of a function is known in it only. */
static void offer_local(const tpi_play_checker *checker, tpi_play_trouble *trouble,
                        const char *word)
{
    for (const tpi_play_symbol *s = checker->names->first; s != NULL; s = s->next) {
        for (const tpi_play_symbol *local = s->locals; local != NULL; local = local->next) {
            if (s != checker->function && strcmp(local->name, word) == 0) {
                trouble->fix[0] = '\0';
                snprintf(trouble->text, sizeof trouble->text,
                         "this belongs to the function `%.40s`: outside of it, make it with "
                         "`let %.40s be …`",
                         s->name, word);
            }
        }
    }
}

/* Nothing is known about a name: how names are made. */
static void offer_making(tpi_play_trouble *trouble, const char *word)
{
    if (trouble->fix[0] == '\0' && strchr(trouble->text, ':') == NULL) {
        snprintf(
            trouble->text, sizeof trouble->text,
            "there is no such name: make it above with `let %.50s be …` or `device %.50s is …`",
            word, word);
    }
}

void tpi_play_blame_unknown(tpi_play_checker *checker, const tpi_play_node *node)
{
    const int math = tpi_play_math_named(node->text);

    if (tpi_play_is_excused(checker, node)) {
        return;
    }
    tpi_play_trouble *trouble = tpi_play_blame(
        checker, node,
        math >= 0 ? "this is a function: its values stand in ( )" : "there is no such name");

    if (tpi_play_unit_named(node->text) != NULL && checker->statement != NULL &&
        checker->statement->kind == TPI_PLAY_WAIT_STATEMENT) {
        strcpy(trouble->text, "a number is missing before the unit");
        snprintf(trouble->fix, sizeof trouble->fix, "1 %.40s", node->text);
        return;
    }
    if (math >= 0) {
        snprintf(trouble->fix, sizeof trouble->fix, "%s(%s", node->text,
                 tpi_play_math_takes(math) == 0 ? ")" : "");
        return;
    }
    if (tpi_dictionary_named(node->text) < TPI_COMMANDS) {
        strcpy(trouble->text, "`do` is missing before this");
        snprintf(trouble->fix, sizeof trouble->fix, "do %.70s", node->text);
        return;
    }
    const char *truth = tpi_play_meant(TPI_PLAY_MEANS_TRUTH, node->text);
    tpi_play_offer_names(checker, trouble, node->text, false);
    if (truth != NULL && trouble->fix[0] == '\0') {
        strcpy(trouble->fix, truth);
    }
    const char *number = tpi_play_meant(TPI_PLAY_MEANS_NUMBER, node->text);
    if (number != NULL) {
        strcpy(trouble->fix, number);
    }
    offer_speed(checker, trouble, node->text);
    offer_local(checker, trouble, node->text);
    offer_device(checker, trouble, node->text);
    offer_text(checker, trouble, node->text);
    offer_making(trouble, node->text);
}
