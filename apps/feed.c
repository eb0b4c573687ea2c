/* feed.c - one JSON value after the other; see feed.h. */
#include "feed.h"

#include <stdio.h>
#include <string.h>

void feed_fini(struct feed *feed)
{
    tpi_buf_fini(&feed->text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What was taken goes. */
static void drop_taken(struct feed *feed)
{
    if (feed->taken > 0) {
        feed->text.length -= feed->taken;
        memmove(feed->text.data, feed->text.data + feed->taken, feed->text.length);
        feed->at -= feed->taken;
        feed->start -= feed->in_value ? feed->taken : 0;
        feed->taken = 0;
    }
}

bool feed_add(struct feed *feed, const char *bytes, size_t length)
{
    drop_taken(feed);
    tpi_buf_put(&feed->text, bytes, length);
    return !feed->text.failed;
}

static void begin_value(struct feed *feed, char c)
{
    feed->in_value = true;
    feed->in_string = feed->escaped = false;
    feed->plain = strchr("{[\"", c) == NULL;
    feed->depth = 0;
    feed->start = feed->at;
    feed->start_line = feed->line + 1;
    feed->start_column = feed->column + 1;
}

/* Whether the value ends with this letter. */
static bool ends_with(struct feed *feed, char c)
{
    if (feed->in_string) {
        const bool closes = c == '"' && !feed->escaped;
        feed->escaped = c == '\\' && !feed->escaped;
        feed->in_string = !closes;
        return closes && feed->depth == 0 && !feed->plain;
    }
    if (c == '"') {
        feed->in_string = true;
    } else if (c == '{' || c == '[') {
        feed->depth++;
    } else if (c == '}' || c == ']') {
        feed->depth -= feed->depth > 0;
        return feed->depth == 0 && !feed->plain;
    }
    return false;
}

static void step(struct feed *feed, char c)
{
    feed->at++;
    feed->column = c == '\n' ? 0 : feed->column + 1;
    feed->line += c == '\n';
}

static void take(struct feed *feed, const char **value, size_t *length)
{
    *value = feed->text.data + feed->start;
    *length = feed->at - feed->start;
    feed->in_value = false;
    feed->taken = feed->at;
}

bool feed_next(struct feed *feed, const char **value, size_t *length)
{
    drop_taken(feed);
    while (feed->at < feed->text.length) {
        const char c = feed->text.data[feed->at];
        if (feed->in_value && feed->plain && is_blank(c)) {
            take(feed, value, length);
            return true;
        }
        if (!feed->in_value && !is_blank(c)) {
            begin_value(feed, c);
        }
        const bool ends = feed->in_value && ends_with(feed, c);
        step(feed, c);
        if (ends) {
            take(feed, value, length);
            return true;
        }
        if (!feed->in_value) {
            feed->taken = feed->at;
        }
    }
    if (!feed->in_value) {
        drop_taken(feed);
    }
    return false;
}

bool feed_rest(struct feed *feed, const char **value, size_t *length)
{
    if (feed_next(feed, value, length)) {
        return true;
    }
    if (feed->in_value) {
        take(feed, value, length);
        return true;
    }
    return false;
}

void feed_place(const struct feed *feed, const char *sentence, tpi_buf *out)
{
    unsigned long line = 1;
    unsigned long column = 1;
    int used = 0;

    if (sscanf(sentence, "line %lu, column %lu: %n", &line, &column, &used) < 2 || used == 0) {
        line = column = 1;
        used = 0;
    }
    if (feed->start_line > 0) { /* else there was no value at all */
        column += line == 1 ? feed->start_column - 1 : 0;
        line += feed->start_line - 1;
    }
    tpi_buf_printf(out, "line %lu, column %lu: %s", line, column, sentence + used);
}
