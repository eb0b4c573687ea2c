/* parse_line.c - lines that begin as those of other languages and of speech do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "play/meant.h"
#include "play/parse.h"

/* `x = 5`: the rest is read as that of a `let`, so that the name is known below. */
static void read_as_let(tpi_play_parser *parser, const tpi_play_token *token,
                        const tpi_play_token *next)
{
    if (tpi_play_trouble_at(parser->troubles, next->line, next->column)) {
        parser->is_lost = true;                /* as `:=` is reported */
    } else if (tpi_play_is_word(next, "be")) { /* only `let` is missing */
        tpi_play_fix(tpi_play_lose(parser, "a variable is set with `let`"), "let ", token->text,
                     "");
    } else {
        tpi_play_fix(tpi_play_mark(parser, token, next, "a variable is set with `let`"), "let ",
                     token->text, " be");
    }
    parser->tokens.list[parser->at + 1].kind = TPI_PLAY_T_WORD;
    parser->tokens.list[parser->at + 1].text = "be";
    parser->is_bare = true;
    parser->is_lost = false;
}

/* `x = 5`, `x be 5`, `x += 5`, `x++` */
static bool is_assignment(tpi_play_parser *parser, const tpi_play_token *token)
{
    static const char sentence[] = "a variable is set with `let`, and changed with `change`";
    const tpi_play_token *next = token + 1;
    const bool is_sum = tpi_play_is_word(next, "+"), is_difference = tpi_play_is_word(next, "-");

    if (tpi_play_is_word(next, "is") && next[1].kind == TPI_PLAY_T_WORD &&
        !tpi_play_is_reserved(next[1].text)) {
        tpi_play_fix(tpi_play_lose(parser, "a device is declared with `device`"), "device ",
                     token->text, "");
        parser->is_bare = true;
        parser->is_lost = false;
    } else if (tpi_play_is_word(next, "=") && tpi_play_is_declared(parser, "device", token->text)) {
        tpi_play_fix(tpi_play_mark(parser, token, next, "a device is written with `set`"), "set ",
                     token->text, " to");
    } else if (tpi_play_is_word(next, "=") || tpi_play_is_word(next, "be")) {
        read_as_let(parser, token, next);
    } else if ((is_sum || is_difference) && tpi_play_is_word(&next[1], "=")) {
        tpi_play_fix(tpi_play_mark(parser, token, next + 1, sentence), "change ", token->text,
                     is_sum ? " by" : " by -");
    } else if ((is_sum || is_difference) && tpi_play_is_word(&next[1], next->text) &&
               tpi_play_ends(&next[2])) {
        tpi_play_fix(tpi_play_mark(parser, token, next + 1, sentence), "change ", token->text,
                     is_sum ? " by 1" : " by -1");
    } else {
        return false;
    }
    return true;
}

/* `decrease x by 5`, `call dance()`, `stop()` */
static bool is_spoken(tpi_play_parser *parser, const tpi_play_token *token)
{
    static const char *const downs[] = {"decrease", "decrement", "subtract", "dec", NULL};
    static const char *const calls[] = {"call", "run", "execute", "invoke", "perform", NULL};

    if (tpi_text_among(downs, token->text) && token[1].kind == TPI_PLAY_T_WORD &&
        tpi_play_is_word(&token[2], "by")) {
        tpi_play_fix(tpi_play_mark(parser, token, token + 2, "a variable is changed with `change`"),
                     "change ", token[1].text, " by -");
    } else if (tpi_text_among(calls, token->text) &&
               tpi_play_is_declared(parser, "to", token[1].text)) {
        tpi_play_lose(parser, "leave it out: a function is called by its name and ( )");
    } else {
        return false;
    }
    return true;
}

/* `motor 50`, where `motor` is a device. */
static bool is_device(tpi_play_parser *parser, const tpi_play_token *token)
{
    const tpi_play_token *list = parser->tokens.list;
    bool is_motor = false;

    if (!tpi_play_is_declared(parser, "device", token->text)) {
        return false;
    }
    for (unsigned i = 0; i + 3 < parser->tokens.count; i++) {
        if (tpi_play_is_word(&list[i], "device") && tpi_play_is_word(&list[i + 1], token->text)) {
            for (unsigned n = i + 3; n < parser->tokens.count && !tpi_play_ends(&list[n]); n++) {
                is_motor |=
                    tpi_play_is_word(&list[n], "Motor") || tpi_play_is_word(&list[n], "Wheel");
            }
        }
    }
    if (is_motor) {
        tpi_play_fix(tpi_play_lose(parser, "a motor is run with `move`"), "move ", token->text,
                     " at");
    } else {
        tpi_play_fix(tpi_play_lose(parser, "this is a device: it is written with `set`"), "set ",
                     token->text, " to");
    }
    return true;
}

/* `blink`, `begin blink`, `dance`, `dance 5`: names of tasks and functions. */
static bool is_of_program(tpi_play_parser *parser, const tpi_play_token *token)
{
    if (tpi_play_ends(&token[1]) && tpi_play_is_declared(parser, "task", token->text)) {
        tpi_play_fix(tpi_play_lose(parser, "a task begins with `start`"), "start ", token->text,
                     "");
        return true;
    }
    if (token[1].kind == TPI_PLAY_T_WORD && tpi_play_ends(&token[2]) &&
        tpi_play_is_declared(parser, "task", token[1].text) &&
        !tpi_play_near_statement(token->text, 2)) { /* such as `stpo` */
        tpi_play_fix(tpi_play_lose(parser, "a task begins with `start`"), "start", "", "");
        return true;
    }
    if (tpi_play_ends(&token[1]) && tpi_play_is_declared(parser, "to", token->text)) {
        tpi_play_fix(tpi_play_lose(parser, "a function is called by its name and ( )"), "",
                     token->text, "()");
        return true;
    }
    if (!tpi_play_ends(&token[1]) && tpi_play_is_declared(parser, "to", token->text)) {
        char call[80];
        const bool is_short = tpi_play_ends(&token[2]) && token[1].kind != TPI_PLAY_T_STRING;
        (void)snprintf(call, sizeof call, "%.40s(%.30s", token->text,
                       is_short ? token[1].text : "");
        tpi_play_fix(tpi_play_mark(parser, token, is_short ? token + 1 : token,
                                   "this is a function: its values stand in ( )"),
                     "", call, is_short ? ")" : "");
        return true;
    }
    return false;
}

bool tpi_play_guess_line(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    const char *remark = tpi_play_meant(TPI_PLAY_MEANS_REMARK, token->text);

    if (tpi_play_is_word(token, "message")) {
        tpi_play_fix(tpi_play_lose(parser, "a message is a value"), "let x be message", "", "");
        return true;
    }
    if (tpi_play_is_reserved(token->text)) {
        return false;
    }
    if (is_assignment(parser, token) || is_spoken(parser, token) || is_device(parser, token)) {
        return true;
    }
    if (remark != NULL) {
        tpi_play_lose(parser, "%s", remark);
        return true;
    }
    return is_of_program(parser, token);
}

/* `wait untill eye > 50`: a mistyped word that something stands behind. */
static bool is_nearly_until(const tpi_play_parser *parser, const tpi_play_token *token)
{
    static const char *const spoken[] = {"til", "till", NULL};
    tpi_nearest nearest;

    if (token->kind != TPI_PLAY_T_WORD || tpi_play_is_reserved(token->text) ||
        (token[1].kind != TPI_PLAY_T_WORD && token[1].kind != TPI_PLAY_T_NUMBER) ||
        tpi_play_is_word(&token[1], "and") || tpi_play_is_word(&token[1], "or") ||
        tpi_play_is_word(&token[1], "mod")) {
        return false;
    }
    tpi_nearest_init(&nearest, token->text);
    tpi_nearest_offer(&nearest, "until");
    tpi_nearest_offer(&nearest,
                      tpi_play_words_of(parser->words, TPI_PLAY_WAIT_UNTIL_STATEMENT, "until"));
    return tpi_text_among(spoken, token->text) ||
           (nearest.best != NULL && !tpi_play_is_far(&nearest));
}

static tpi_play_kind guess_repeat(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (tpi_play_is_word(&token[1], "forever") && tpi_play_ends(&token[2])) {
        tpi_play_fix(tpi_play_mark(parser, token, token + 1, "`forever` repeats without an end"),
                     "forever", "", "");
        parser->is_lost = false;
        parser->at++;
        return TPI_PLAY_FOREVER_STATEMENT;
    }
    if (tpi_play_is_word(&token[1], "until")) {
        tpi_play_fix(
            tpi_play_mark(parser, token, token + 1, "`while not` repeats until something is true"),
            "while not", "", "");
        parser->is_lost = false;
        parser->at++;
        parser->tokens.list[parser->at].text = "while";
        return TPI_PLAY_WHILE_STATEMENT;
    }
    return TPI_PLAY_REPEAT_STATEMENT;
}

static tpi_play_kind guess_wait(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (tpi_play_is_word(&token[1], "while")) {
        tpi_play_fix(tpi_play_mark(parser, token, token + 1, "it waits until something is true"),
                     "wait until not", "", "");
        return TPI_PLAY_STATEMENTS;
    }
    if (is_nearly_until(parser, &token[1])) {
        parser->at++;
        tpi_play_fix(tpi_play_lose(parser, "another word is expected here"), "until", "", "");
        parser->at--;
        parser->is_lost = false;
        parser->tokens.list[parser->at + 1].text = "until";
        return TPI_PLAY_WAIT_UNTIL_STATEMENT;
    }
    return TPI_PLAY_WAIT_STATEMENT;
}

/* Whether the program declares a device. */
static bool has_devices(const tpi_play_parser *parser)
{
    for (unsigned i = 0; i < parser->tokens.count; i++) {
        if (tpi_play_is_word(&parser->tokens.list[i], "device")) {
            return true;
        }
    }
    return false;
}

/* `send crew "go"` */
static tpi_play_kind guess_send(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (token[1].kind == TPI_PLAY_T_WORD &&
        tpi_play_is_declared(parser, "channel", token[1].text) &&
        (token[2].kind == TPI_PLAY_T_STRING || token[2].kind == TPI_PLAY_T_NUMBER) &&
        tpi_play_ends(&token[3])) {
        const char *quote = token[2].kind == TPI_PLAY_T_STRING ? "\"" : "";
        tpi_play_trouble *trouble =
            tpi_play_mark(parser, token + 1, token + 1, "the words stand in another order");
        (void)snprintf(trouble->whole, sizeof trouble->whole, "send %s%.30s%s to %.30s", quote,
                       token[2].text, quote, token[1].text);
        return TPI_PLAY_STATEMENTS;
    }
    return TPI_PLAY_SEND_STATEMENT;
}

/* `move 50`, `move forward 50`, `move at 50` */
static tpi_play_kind guess_move(tpi_play_parser *parser)
{
    static const char sentence[] = "`move` runs a motor; the robot drives with `drive`";
    static const char *const ahead[] = {"forward", "forwards", "ahead", NULL};
    static const char *const back[] = {"back", "backward", "backwards", NULL};
    const tpi_play_token *token = tpi_play_peek(parser);
    const bool is_word = token[1].kind == TPI_PLAY_T_WORD;
    const bool is_back = is_word && tpi_text_among(back, token[1].text);

    if (is_word && (is_back || tpi_text_among(ahead, token[1].text)) &&
        token[2].kind == TPI_PLAY_T_NUMBER) {
        tpi_play_fix(tpi_play_mark(parser, token, token + 1, sentence),
                     is_back ? "drive -" : "drive", "", "");
        return TPI_PLAY_STATEMENTS;
    }
    const bool has_no_name =
        tpi_play_is_word(&token[1], "at") && token[2].kind == TPI_PLAY_T_NUMBER;
    if (token[1].kind == TPI_PLAY_T_NUMBER || tpi_play_is_word(&token[1], "-") ||
        (has_no_name && !has_devices(parser))) {
        tpi_play_fix(tpi_play_lose(parser, "%s", sentence), "drive", "", "");
        return TPI_PLAY_STATEMENTS;
    }
    return TPI_PLAY_MOVE_STATEMENT;
}

/* `do forever`, `do drive 50` */
static tpi_play_kind guess_do(tpi_play_parser *parser)
{
    parser->at++;
    const tpi_play_kind kind = tpi_play_kind_here(parser);
    parser->at--;
    if (kind == TPI_PLAY_STATEMENTS || kind == TPI_PLAY_CALL_STATEMENT ||
        tpi_play_statement_of(kind)->place == TPI_PLAY_BRANCH) {
        return TPI_PLAY_DO_STATEMENT;
    }
    tpi_play_lose(parser, "leave it out: `do` stands before commands such as MovePower");
    parser->is_lost = false;
    parser->at++;
    return kind;
}

tpi_play_kind tpi_play_guess_pair(tpi_play_parser *parser, tpi_play_kind kind)
{
    return kind == TPI_PLAY_REPEAT_STATEMENT ? guess_repeat(parser)
           : kind == TPI_PLAY_WAIT_STATEMENT ? guess_wait(parser)
           : kind == TPI_PLAY_MOVE_STATEMENT ? guess_move(parser)
           : kind == TPI_PLAY_SEND_STATEMENT ? guess_send(parser)
           : kind == TPI_PLAY_DO_STATEMENT   ? guess_do(parser)
                                             : kind;
}
