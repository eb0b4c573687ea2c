/* meant.c - words of other languages and of speech, and what they are called here. */
#include "play/meant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

typedef struct pair {
    const char *word, *here;
} pair;

static const pair statements[] = {
    {"function", "to"},
    {"def", "to"},
    {"func", "to"},
    {"fn", "to"},
    {"define", "to"},
    {"procedure", "to"},
    {"proc", "to"},
    {"void", "to"},
    {"learn", "to"},
    {"thread", "task"},
    {"parallel", "task"},
    {"var", "let"},
    {"const", "let"},
    {"int", "let"},
    {"float", "let"},
    {"double", "let"},
    {"assign", "let"},
    {"increase", "change"},
    {"increment", "change"},
    {"inc", "change"},
    {"add", "change"},
    {"loop", "forever"},
    {"for", "repeat"},
    {"unless", "if not"},
    {"switch", "set"},
    {"sleep", "wait"},
    {"delay", "wait"},
    {"pause", "wait"},
    {"turn", "drive 0 turn"},
    {"rotate", "drive 0 turn"},
    {"spin", "drive 0 turn"},
    {"forward", "drive"},
    {"forwards", "drive"},
    {"go", "drive"},
    {"backward", "drive -"},
    {"backwards", "drive -"},
    {"back", "drive -"},
    {"halt", "stop"},
    {"brake", "stop"},
    {"play", "tone"},
    {"beep", "tone"},
    {"sound", "tone"},
    {"call", "do"},
    {"run", "start"},
    {"launch", "start"},
    {"sensor", "device"},
    {"motor", "device"},
    {"write", "print"},
    {"echo", "print"},
    {"output", "print"},
    {"puts", "print"},
    {"display", "show"},
    {"speak", "say"},
    {"broadcast", "send"},
    {"post", "send"},
    {"publish", "send"},
    {"record", "log"},
    {"until", "wait until"},
    {"every", "when"},
    {"on", "when"},
    {"whenever", "when"},
    {"exit", "break"},
    {"leave", "break"},
    {"give", "return"},
    {"falls", "if"},
    {"während", "while"},
    {"drucke", "print"},
    {"gehe", "drive"},
    {"mache", "do"},
    {"avance", "drive"},
    {"imprime", "print"},
    {"lorsque", "when"},
    {"boucle", "forever"},
    {"sub", "to"},
    {"printf", "print"},
    {"println", "print"},
    {"cout", "print"},
    {"fd", "drive"},
    {"bk", "drive -"},
    {"lt", "drive 0 turn"},
    {"rt", "drive 0 turn -"},
    {"left", "drive 0 turn"},
    {"right", "drive 0 turn -"},
    {"reverse", "drive -"},
    {"steer", "drive"},
    {"ahead", "drive"},
    {"dim", "let"},
    {"make", "let"},
    {"local", "let"},
    {"global", "let"},
    {"bool", "let"},
    {"boolean", "let"},
    {"string", "let"},
    {"String", "let"},
    {"long", "let"},
    {"auto", "let"},
    {"variable", "let"},
    {"always", "forever"},
    {"endless", "forever"},
    {"endlos", "forever"},
    {"schleife", "forever"},
    {"tu", "do"},
    {"laufe", "drive"},
    {"vorwärts", "drive"},
    {"rückwärts", "drive -"},
    {"halte", "stop"},
    {"anhalten", "stop"},
    {"ausgabe", "print"},
    {"drucken", "print"},
    {"funktion", "to"},
    {"sei", "let"},
    {"recule", "drive -"},
    {"avancer", "drive"},
    {"fonction", "to"},
    {"foreach", "repeat"},
    {"input", "device"},
    {"alert", "show"},
    {"msgbox", "show"},
    {"digitalWrite", "set"},
    {"analogWrite", "set"},
    {"pinMode", "device"},
    {"usleep", "wait"},
    {NULL, NULL},
};

static const pair operators[] = {
    {"is", "="},      {"equals", "="},   {"equal", "="},     {"be", "="},        {"not", "<>"},
    {"isnt", "<>"},   {"differs", "<>"}, {"≠", "<>"},        {"greater", ">"},   {"bigger", ">"},
    {"larger", ">"},  {"higher", ">"},   {"more", ">"},      {"above", ">"},     {"over", ">"},
    {"less", "<"},    {"smaller", "<"},  {"lower", "<"},     {"below", "<"},     {"under", "<"},
    {"≥", ">="},      {"≤", "<="},       {"plus", "+"},      {"minus", "-"},     {"−", "-"},
    {"–", "-"},       {"x", "*"},        {"×", "*"},         {"times", "*"},     {"÷", "/"},
    {"divided", "/"}, {"div", "/"},      {"modulo", "mod"},  {"rem", "mod"},     {"AND", "and"},
    {"And", "and"},   {"OR", "or"},      {"Or", "or"},       {"MOD", "mod"},     {"xor", "<>"},
    {"größer", ">"},  {"kleiner", "<"},  {"gleich", "="},    {"ungleich", "<>"}, {"mehr", ">"},
    {"weniger", "<"}, {"geteilt", "/"},  {"supérieur", ">"}, {"inférieur", "<"}, {"égal", "="},
    {NULL, NULL},
};

static const pair functions[] = {
    {"minimum", "min"},     {"smallest", "min"},     {"maximum", "max"},   {"largest", "max"},
    {"rand", "random"},     {"randint", "random"},   {"dice", "random"},   {"sine", "sin"},
    {"cosine", "cos"},      {"atan", "atan2"},       {"arctan", "atan2"},  {"arctan2", "atan2"},
    {"absolute", "abs"},    {"fabs", "abs"},         {"magnitude", "abs"}, {"root", "sqrt"},
    {"squareroot", "sqrt"}, {"square_root", "sqrt"}, {"floor", "round"},   {"ceil", "round"},
    {"int", "round"},       {"trunc", "round"},      {"now", "time"},      {"clock", "time"},
    {"timer", "time"},      {"millis", "time"},      {"seconds", "time"},  {"power", "exp"},
    {"rnd", "random"},      {"Rnd", "random"},       {"RND", "random"},    {"randrange", "random"},
    {"zufall", "random"},   {"wurzel", "sqrt"},      {"betrag", "abs"},    {"runde", "round"},
    {"zeit", "time"},       {"racine", "sqrt"},      {NULL, NULL},
};

static const pair truths[] = {
    {"on", "true"},     {"On", "true"},       {"ON", "true"},   {"yes", "true"},
    {"Yes", "true"},    {"True", "true"},     {"TRUE", "true"}, {"HIGH", "true"},
    {"high", "true"},   {"pressed", "true"},  {"off", "false"}, {"Off", "false"},
    {"OFF", "false"},   {"no", "false"},      {"No", "false"},  {"False", "false"},
    {"FALSE", "false"}, {"LOW", "false"},     {"low", "false"}, {"none", "0"},
    {"an", "true"},     {"ein", "true"},      {"ja", "true"},   {"aus", "false"},
    {"nein", "false"},  {"gedrückt", "true"}, {"None", "0"},    {"null", "0"},
    {"nil", "0"},       {NULL, NULL},
};

static const pair langs[] = {
    {"english", "en"}, {"English", "en"}, {"german", "de"}, {"German", "de"},   {"deutsch", "de"},
    {"Deutsch", "de"}, {"french", "fr"},  {"French", "fr"}, {"francais", "fr"}, {"français", "fr"},
    {"gb", "en"},      {"us", "en"},      {NULL, NULL},
};

static const pair nothings[] = {
    {"for", ""},      {"at", ""},       {"with", ""},      {"by", ""},      {"to", ""},
    {"the", ""},      {"speed", ""},    {"power", ""},     {"forward", ""}, {"forwards", ""},
    {"ahead", ""},    {"vorwärts", ""}, {"geradeaus", ""}, {"about", ""},   {"only", ""},
    {"straight", ""}, {NULL, NULL},
};

static const pair numbers[] = {
    {"zero", "0"},  {"one", "1"},    {"two", "2"},   {"three", "3"}, {"four", "4"},  {"five", "5"},
    {"six", "6"},   {"seven", "7"},  {"eight", "8"}, {"nine", "9"},  {"ten", "10"},  {"eins", "1"},
    {"zwei", "2"},  {"drei", "3"},   {"vier", "4"},  {"fünf", "5"},  {"sechs", "6"}, {"deux", "2"},
    {"trois", "3"}, {"quatre", "4"}, {"cinq", "5"},  {"pi", "3.14"}, {"PI", "3.14"}, {NULL, NULL},
};

static const char no_import[] = "leave it out: nothing is imported, all functions are there";

static const char no_pen[] = "leave it out: there is no pen";

static const char no_remark[] = "a comment begins with #";

static const pair remarks[] = {
    {"REM", no_remark},
    {"Rem", no_remark},
    {"rem", no_remark},
    {"receive", "a message is read by a value: `let x be message from …`"},
    {"import", no_import},
    {"include", no_import},
    {"using", no_import},
    {"continue", "a loop has no such statement: put what is left out into an `if`"},
    {"next", "a loop has no such statement: put what is left out into an `if`"},
    {"goto", "there are no jumps: repeat with `forever`, `while` or `repeat`"},
    {"pass", "leave it out: a body may be empty"},
    {"penup", no_pen},
    {"pendown", no_pen},
    {"pu", no_pen},
    {"pd", no_pen},
    {"try", "there is nothing to catch: a fault ends the program and stops the robot"},
    {"case", "there is no such statement: write `if` and `else if`"},
    {"class", "there are no classes of your own: a `device` has one, a function is made with `to`"},
    {NULL, NULL},
};

/* Whether two words differ by large letters only. */
static bool is_same(const char *a, const char *b)
{
    while (*a != '\0' && (*a == *b || (*b >= 'A' && *b <= 'Z' && *a == *b - 'A' + 'a'))) {
        a++;
        b++;
    }
    return *a == *b;
}

const char *tpi_play_meant(tpi_play_foreign meaning, const char *word)
{
    static const pair *const tables[] = {
        [TPI_PLAY_MEANS_STATEMENT] = statements, [TPI_PLAY_MEANS_OPERATOR] = operators,
        [TPI_PLAY_MEANS_FUNCTION] = functions,   [TPI_PLAY_MEANS_TRUTH] = truths,
        [TPI_PLAY_MEANS_LANG] = langs,           [TPI_PLAY_MEANS_NOTHING] = nothings,
        [TPI_PLAY_MEANS_NUMBER] = numbers,       [TPI_PLAY_MEANS_REMARK] = remarks,
    };
    const bool ignores_case =
        meaning == TPI_PLAY_MEANS_STATEMENT || meaning == TPI_PLAY_MEANS_REMARK;
    const pair *entry = tables[meaning];

    while (entry->word != NULL && strcmp(entry->word, word) != 0 &&
           !(ignores_case && is_same(entry->word, word))) {
        entry++;
    }
    return entry->here;
}

void tpi_play_meant_path(const char *first, const char *last, char *out, size_t size)
{
    static const char *const modules[] = {"time",   "random", "math",  "Math",  "console",
                                          "Serial", "System", "robot", "Robot", "bot",
                                          "car",    "self",   "this",  "os",    NULL};
    static const char *const runs[] = {"run",      "forward", "backward", "start", "move",
                                       "setSpeed", "speed",   "power",    "drive", NULL};
    static const char *const readings[] = {"value", "read", "get", "reflection", "distance", NULL};
    const bool is_module = tpi_text_among(modules, first);
    const char *statement = tpi_play_meant(TPI_PLAY_MEANS_STATEMENT, last);
    const char *function = tpi_play_meant(TPI_PLAY_MEANS_FUNCTION, last);

    if (is_module) {
        (void)snprintf(out, size, "%s",
                       strcmp(last, "log") == 0 ? "print"
                       : statement != NULL      ? statement
                       : function != NULL       ? function
                                                : last);
    } else if (tpi_text_among(runs, last)) {
        (void)snprintf(out, size, "move %.40s at", first);
    } else if (strcmp(last, "stop") == 0 || strcmp(last, "brake") == 0) {
        (void)snprintf(out, size, "stop %.40s", first);
    } else if (strcmp(last, "on") == 0 || strcmp(last, "off") == 0) {
        (void)snprintf(out, size, "set %.40s to %s", first,
                       strcmp(last, "on") == 0 ? "true" : "false");
    } else {
        (void)snprintf(out, size, "%.40s", tpi_text_among(readings, last) ? first : "");
    }
}
