/*
 * play_repl.c - troupe play without a program: one line at a time.
 *
 * Each line is a small program of its own. What was declared before stands in front of it, and the
 * variables keep their values. What moves goes on between the lines; Ctrl-C and the end of the
 * input stop it. A line that is an expression is printed.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "edit_line.h"
#include "output.h"
#include "play/check.h"
#include "play_run.h"
#include "repl_help.h"
#include "universal/host/files.h"

static const char name[] = PLAY_NAME;

enum { SLICE_MS = 50, MOST_LINE = 4096, MOST_BLOCK = 65536 };

/* A variable that keeps its value. */
struct kept {
    char name[TPI_PLAY_MOST_NAME + 1];
    tpi_play_cell cell;
    char text[TPI_PLAY_SLOT_SIZE]; /* of a text: its length, its bytes */
};

struct repl {
    play_host *host;           /* borrowed */
    tp_client *client;         /* borrowed */
    const tpi_play_lang *lang; /* of the words */
    play_source source;        /* of the current line */
    tpi_buf declarations;      /* lines that stand in front of all others */
    unsigned declared;         /* how many lines these are */
    struct kept *kept;         /* owned */
    unsigned kept_count;
    char input[MOST_LINE]; /* what was read and is not used yet */
    size_t input_length;
    bool is_terminal, at_end;
    edit_line editor; /* of a terminal */
    struct termios
        between; /* of the terminal, while no line is read: Ctrl-D waits for the next one */
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* Take a line out of the input; false if there is no whole one. */
static bool take_line(struct repl *r, tpi_buf *out)
{
    const char *end = memchr(r->input, '\n', r->input_length);
    const bool is_full = r->input_length == sizeof r->input;

    if (end == NULL && !is_full && !(r->at_end && r->input_length > 0)) {
        return false;
    }
    const size_t length = end != NULL ? (size_t)(end - r->input) : r->input_length;
    const size_t used = end != NULL ? length + 1 : length;
    tpi_buf_put(out, r->input, length);
    tpi_buf_putc(out, '\n');
    memmove(r->input, r->input + used, r->input_length - used);
    r->input_length -= used;
    return true;
}

/* Bytes that have come, if any; messages are handled meanwhile, so that what moves goes on. False
 * at the end of the input or after a signal. */
static bool read_more(struct repl *r)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    if (r->at_end || play_was_interrupted() || !tp_client_is_connected(r->client)) {
        return false;
    }
    if (poll(&input, 1, SLICE_MS) > 0) {
        const ssize_t count =
            read(STDIN_FILENO, r->input + r->input_length, sizeof r->input - r->input_length);
        r->input_length += count > 0 ? (size_t)count : 0;
        r->at_end = count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
    }
    tp_client_step(r->client, false);
    return true;
}

static void show(tpi_buf *shown)
{
    fwrite(shown->data, 1, shown->length, stdout);
    fflush(stdout);
    tpi_buf_clear(shown);
}

/* Give keys to the editor until the line is done. False at the end. */
static bool edit(struct repl *r, const char *prompt, tpi_buf *out)
{
    tpi_buf shown = {0};
    edit_state state = EDIT_GOES_ON;

    edit_line_begin(&r->editor, prompt, &shown);
    do {
        size_t used = 0;
        while (used < r->input_length && state == EDIT_GOES_ON) {
            state = edit_line_key(&r->editor, r->input[used++], &shown);
        }
        memmove(r->input, r->input + used, r->input_length - used);
        r->input_length -= used;
        show(&shown);
    } while (state == EDIT_GOES_ON && read_more(r));
    tpi_buf_fini(&shown);
    tpi_buf_put(out, r->editor.text, r->editor.length);
    tpi_buf_putc(out, '\n');
    return state == EDIT_DONE;
}

/* Wait for a line. False at the end of the input or after a signal. On a terminal keys come one by
 * one while the line is read; signals stay what they are. */
static bool read_line(struct repl *r, const char *prompt, tpi_buf *out)
{
    struct termios ours;

    if (!r->is_terminal) {
        bool goes = true;
        while (goes && !take_line(r, out)) {
            goes = read_more(r);
        }
        return goes;
    }
    ours = r->between;
    ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    ours.c_cc[VMIN] = 1;
    ours.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &ours);
    const bool is_read = edit(r, prompt, out);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &r->between);
    return is_read;
}

/* The first word of a line. */
static void first_word(const char *line, char out[16])
{
    size_t length = 0;

    line += strspn(line, " \t");
    while ((line[length] >= 'a' && line[length] <= 'z') || (line[length] & 0x80) != 0) {
        length++;
    }
    snprintf(out, 16, "%.*s", (int)length, line);
}

/* The statement that begins with the first word of a line. */
static tpi_play_kind kind_of(const struct repl *r, const char *line)
{
    char word[16];

    first_word(line, word);
    return tpi_play_lang_kind(r->lang, word, "");
}

/* How much deeper blocks are behind a line. */
static int depth_of(const struct repl *r, const char *line)
{
    const tpi_play_kind kind = kind_of(r, line);
    char word[16];

    first_word(line, word);
    if (kind == TPI_PLAY_IF_STATEMENT || kind == TPI_PLAY_WHILE_STATEMENT ||
        kind == TPI_PLAY_REPEAT_STATEMENT || kind == TPI_PLAY_FOREVER_STATEMENT ||
        kind == TPI_PLAY_TO_STATEMENT) {
        return 1;
    }
    return strcmp(word, "end") == 0 || strcmp(word, tpi_play_lang_value(r->lang, "end")) == 0 ? -1
                                                                                              : 0;
}

/* A statement with all its lines. */
static bool read_statement(struct repl *r, tpi_buf *out)
{
    int depth = 0;
    size_t at = 0;

    tpi_buf_clear(out);
    do {
        at = out->length;
        if (!read_line(r, depth > 0 ? "... " : "> ", out)) {
            return false;
        }
        depth += depth_of(r, tpi_buf_text(out) + at);
    } while (depth > 0 && out->length < MOST_BLOCK);
    return !out->failed;
}

/* ---- Programs of a line ---------------------------------------------------------------------- */

/* The text in front of a line: declarations, and the variables, which are set when it runs. Returns
 * the number of its lines. */
static unsigned put_front(const struct repl *r, tpi_buf *out)
{
    unsigned lines = r->declared + 1;

    tpi_buf_printf(out, "lang %s\n", r->lang->name);
    tpi_buf_put(out, tpi_buf_text(&r->declarations), r->declarations.length);
    if (r->kept_count > 0) {
        tpi_buf_puts(out, "if false\n");
        for (unsigned i = 0; i < r->kept_count; i++) {
            tpi_buf_printf(out, "let %s be 0\n", r->kept[i].name);
        }
        tpi_buf_puts(out, "end\n");
        lines += r->kept_count + 2;
    }
    return lines;
}

/* Mistakes of a line behind so many lines, and behind so many characters of its own. */
static void tell(const tpi_play_troubles *troubles, unsigned front, unsigned before)
{
    tpi_buf out = {0};

    for (unsigned i = 0; i < tpi_play_trouble_count(troubles); i++) {
        tpi_play_trouble trouble = troubles->list[i];
        trouble.line = trouble.line > front ? trouble.line - front : 1;
        trouble.column -= trouble.line == 1 && trouble.column > before ? before : 0;
        tpi_play_trouble_put(&out, "line", &trouble);
    }
    fputs(tpi_buf_text(&out), stdout);
    fflush(stdout);
    tpi_buf_fini(&out);
}

/* Compile a line with what stands in front of it; `as` is put before it. */
static bool compile(struct repl *r, const char *as, const tpi_buf *line,
                    tpi_play_troubles *troubles, unsigned *front)
{
    memset(troubles, 0, sizeof *troubles);
    tpi_play_program_fini(&r->source.program);
    memset(&r->source.program, 0, sizeof r->source.program);
    tpi_buf_clear(&r->source.text);
    *front = put_front(r, &r->source.text);
    tpi_buf_puts(&r->source.text, as);
    tpi_buf_put(&r->source.text, tpi_buf_text(line), line->length);
    return !r->source.text.failed &&
           tpi_play_compile(&r->source.program, tpi_buf_text(&r->source.text),
                            r->source.text.length, r->source.vocabulary, troubles);
}

/* Variables get their values in the machine of the next line, and give them back. */
static void give_variables(struct repl *r)
{
    const tpi_play_program *program = &r->source.program;

    for (unsigned i = 0; i < program->variable_count; i++) {
        for (unsigned k = 0; k < r->kept_count; k++) {
            tpi_play_cell *cell = &r->host->runner.cells[program->variables[i].index];
            if (strcmp(r->kept[k].name, program->variables[i].name) != 0) {
                continue;
            }
            if (r->kept[k].cell.tag == TPI_PLAY_TEXT) {
                tpi_play_put_text(&r->host->runner.machine, cell, r->kept[k].text + 1,
                                  (uint8_t)r->kept[k].text[0]);
            } else {
                *cell = r->kept[k].cell;
            }
        }
    }
}

static void take_variables(struct repl *r)
{
    const tpi_play_program *program = &r->source.program;
    struct kept *kept = calloc(program->variable_count + 1, sizeof *kept);

    if (kept == NULL) {
        return;
    }
    for (unsigned i = 0; i < program->variable_count; i++) {
        const tpi_play_cell *cell = &r->host->runner.cells[program->variables[i].index];
        snprintf(kept[i].name, sizeof kept[i].name, "%s", program->variables[i].name);
        kept[i].cell = *cell;
        if (cell->tag == TPI_PLAY_TEXT) {
            uint8_t length;
            const char *text = tpi_play_text(&r->host->runner.machine, cell, &length);
            kept[i].text[0] = (char)length;
            memcpy(kept[i].text + 1, text, length);
        }
    }
    free(r->kept);
    r->kept = kept;
    r->kept_count = program->variable_count;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Whether the statement declares something for those that follow. */
static bool declares(const struct repl *r, const tpi_buf *line)
{
    const tpi_play_kind kind = kind_of(r, tpi_buf_text(line));

    return kind == TPI_PLAY_DEVICE_STATEMENT || kind == TPI_PLAY_CHANNEL_STATEMENT ||
           kind == TPI_PLAY_TO_STATEMENT;
}

static void keep_declaration(struct repl *r, const tpi_buf *line)
{
    tpi_buf_put(&r->declarations, tpi_buf_text(line), line->length);
    for (size_t i = 0; i < line->length; i++) {
        r->declared += line->data[i] == '\n';
    }
}

static void run_line(struct repl *r, const tpi_buf *line)
{
    play_host *host = r->host;

    play_host_fini(host);
    if (play_host_begin(host) != EXIT_DONE || play_host_match(host) != EXIT_DONE) {
        return;
    }
    if (declares(r, line)) {
        keep_declaration(r, line);
        return;
    }
    give_variables(r);
    if (play_follow(host, r->client) == EXIT_DONE) {
        take_variables(r);
    }
}

/* `help`, `help drive` */
static bool is_help(const struct repl *r, const char *line)
{
    char word[16], about[16];
    tpi_buf out = {0};

    first_word(line, word);
    if (strcmp(word, "help") != 0 && line[strspn(line, " \t")] != '?') {
        return false;
    }
    first_word(line + strspn(line, " \t") + (word[0] != '\0' ? strlen(word) : 1), about);
    repl_help(&out, about, r->lang);
    fputs(tpi_buf_text(&out), stdout);
    fflush(stdout);
    tpi_buf_fini(&out);
    return true;
}

/* `lang de`: the words of the lines that follow. Names that were declared before stay. */
static bool is_lang(struct repl *r, const char *line)
{
    char word[16], wanted[16];

    first_word(line, word);
    if (strcmp(word, "lang") != 0) {
        return false;
    }
    first_word(line + strspn(line, " \t") + strlen(word), wanted);
    const tpi_play_lang *lang = tpi_play_lang_find(wanted);
    if (lang == NULL) {
        printf("`%s`: there is no such language: en, de or fr\n", wanted);
    } else if (r->declarations.length > 0 || r->kept_count > 0) {
        puts("the language of the words is chosen before devices and variables are made");
    } else {
        r->lang = lang;
    }
    fflush(stdout);
    return true;
}

/* Whether a line that is neither a statement nor an expression was meant as an expression: it is
 * one word, or a call, or an operator follows. */
static bool seems_expression(const tpi_play_troubles *as_statement, const char *line)
{
    const char *at = line + strspn(line, " \t");
    const char *end = at;

    while (*end == '_' || (*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z') ||
           (*end >= '0' && *end <= '9') || (*end & 0x80) != 0) {
        end++;
    }
    return as_statement->list[0].fix[0] == '\0' &&
           (*end == '(' || strchr("+-*/<>", end[strspn(end, " \t\n")]) != NULL);
}

/* Whether it is an expression up to a mistake in it, and nothing is known that it may be else. */
static bool begins_as_expression(const tpi_play_troubles *as_statement,
                                 const tpi_play_troubles *as_expression, unsigned before)
{
    return as_statement->list[0].fix[0] == '\0' && as_expression->list[0].column > before + 1;
}

/* Whether a line calls a function that was declared and returns a value. */
static bool calls_for_value(const struct repl *r, const char *line)
{
    const size_t length = strcspn(line += strspn(line, " \t"), "( \t\n");
    bool is_inside = false;

    if (line[length] != '(') {
        return false;
    }
    for (const char *at = tpi_buf_text(&r->declarations); *at != '\0';
         at += strcspn(at, "\n") + 1) {
        const tpi_play_kind kind = kind_of(r, at);
        char word[16];
        first_word(at, word);
        const char *rest = at + strspn(at, " \t") + strlen(word);
        rest += strspn(rest, " \t");
        if (kind == TPI_PLAY_TO_STATEMENT) {
            is_inside = strncmp(rest, line, length) == 0 && strchr("( \t\n", rest[length]) != NULL;
        } else if (is_inside && kind == TPI_PLAY_RETURN_STATEMENT && *rest != '\n' &&
                   *rest != '#') {
            return true;
        }
    }
    return false;
}

/* `quit`: as Ctrl-D. */
static bool is_quit(const tpi_buf *line)
{
    static const char *const words[] = {"quit", "exit", "bye", NULL};
    char word[16];

    first_word(tpi_buf_text(line), word);
    const char *rest = tpi_buf_text(line) + strspn(tpi_buf_text(line), " \t") + strlen(word);
    rest += strspn(rest, "() \t\r");
    return *rest == '\n' && tpi_text_among(words, word);
}

/* A name that nothing stands for yet. */
static void tell_unknown(const tpi_play_trouble *trouble, const char *line)
{
    const bool is_call = line[strspn(line, " \t") + strlen(trouble->word)] == '(';

    if (trouble->fix[0] != '\0' && trouble->fix[0] != '"') {
        printf("`%s`: %s; did you mean `%s`?\n", trouble->word, trouble->text, trouble->fix);
    } else if (is_call) {
        printf("`%s`: there is no such function; `to %s(x)` … `end` makes one, `help` lists the "
               "built-in ones\n",
               trouble->word, trouble->word);
    } else {
        printf("`%s`: there is no such name; `let %s be 5` makes a variable, `device %s is Light "
               "Sensor` a device of the robot, `help` lists all statements\n",
               trouble->word, trouble->word, trouble->word);
    }
    fflush(stdout);
}

static void handle(struct repl *r, const tpi_buf *line, tpi_play_troubles *troubles)
{
    static const char print[] = "print ";
    const unsigned before = sizeof print - 1;
    unsigned front = 0, ignored = 0;
    char word[16];

    if (is_help(r, tpi_buf_text(line)) || is_lang(r, tpi_buf_text(line))) {
        return;
    }

    first_word(tpi_buf_text(line), word);
    const tpi_play_kind kind = kind_of(r, tpi_buf_text(line));
    if (kind == TPI_PLAY_TASK_STATEMENT || kind == TPI_PLAY_WHEN_STATEMENT) {
        puts("tasks and handlers need a program: write it into a file");
        return;
    }
    if (tpi_buf_text(line)[strspn(tpi_buf_text(line), " \t\n")] == '\0') {
        return;
    }
    if ((tpi_play_math_named(word) >= 0 || calls_for_value(r, tpi_buf_text(line))) &&
        compile(r, print, line, troubles, &front)) {
        run_line(r, line); /* as a statement its value would be lost */
        return;
    }
    if (compile(r, "", line, troubles, &front)) {
        run_line(r, line);
        return;
    }
    tpi_play_troubles *first = malloc(sizeof *first);
    if (first == NULL) {
        return;
    }
    *first = *troubles;
    if (compile(r, print, line, troubles, &ignored)) {
        run_line(r, line);
    } else if (kind == TPI_PLAY_STATEMENTS && begins_as_expression(first, troubles, before)) {
        tell(troubles, front, before);
    } else if (first->count == 1 && seems_expression(first, tpi_buf_text(line))) {
        tell_unknown(&troubles->list[0], tpi_buf_text(line));
    } else {
        tell(first, front, 0);
    }
    free(first);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static int talk(struct repl *r)
{
    tpi_play_troubles *troubles = calloc(1, sizeof *troubles);
    tpi_buf line = {0};

    if (troubles == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    if (r->is_terminal) {
        printf("%s. One line at a time: drive 30, stop, device eye is Light Sensor, eye.\n"
               "Ctrl-C stops the robot, Ctrl-D or quit ends, help lists all statements.\n",
               tp_universal_title(r->host->robot));
    }
    while (read_statement(r, &line) && !is_quit(&line)) {
        handle(r, &line, troubles);
        if (play_was_interrupted()) { /* it ends the line, and all motion */
            play_forget_interrupt();
            if (play_stop_robot(r->host->robot) != EXIT_DONE) {
                break;
            }
            puts("stopped");
        }
    }
    if (r->is_terminal) {
        puts("");
    }
    tpi_buf_fini(&line);
    free(troubles);
    return EXIT_DONE;
}

int play_repl(play_host *host, tp_client *client)
{
    struct repl r = {.host = host,
                     .client = client,
                     .lang = tpi_play_lang_at(0),
                     .is_terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0};
    struct termios before;
    tp_error err = {0};
    int result = EXIT_DONE;

    if (tpi_files_vocabulary(&r.source.vocabulary, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    host->program = &r.source.program;
    host->vocabulary = r.source.vocabulary;
    r.is_terminal = r.is_terminal && tcgetattr(STDIN_FILENO, &before) == 0;
    if (r.is_terminal) {
        r.between = before;
        r.between.c_cc[VEOF] = _POSIX_VDISABLE;
        tcsetattr(STDIN_FILENO, TCSADRAIN, &r.between);
    }
    result = talk(&r);
    if (r.is_terminal) {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    }
    const int stopped = play_stop_robot(host->robot);
    if (!tp_client_is_connected(client)) {
        result = command_fail(name, EXIT_FAILED, "the connection to the robot was lost");
    }
    host->program = NULL;
    tpi_buf_fini(&r.declarations);
    edit_line_fini(&r.editor);
    free(r.kept);
    play_source_fini(&r.source);
    return result == EXIT_DONE ? stopped : result;
}
