/* cmd_frames.c - troupe frames: the frames of reference that a server knows, as a tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output.h"
#include "remote.h"

static const char name[] = "frames";

enum { MOST_WORDS = 2, DEEPEST = 64, MOST_NAMES = 256 };

/* A frame and what sits in it. */
struct node {
    const tp_frame_info *frame; /* borrowed from the list */
    struct node *child;         /* the first one */
    struct node *next;          /* of the same parent */
    bool is_root;
};

struct frames {
    struct remote remote;
    bool json;
    char *words[MOST_WORDS]; /* borrowed: URL, or FROM TO */
    int word_count;
    const tp_frame_list *list; /* borrowed from the client */
    struct node *nodes;        /* owned: one for each frame of the list */
};

/* ---- In words -------------------------------------------------------------------------------- */

static void put_number(tpi_buf *out, double value)
{
    /* no minus zero, which only asks questions */
    tpi_buf_printf(out, "%.3f", value > -0.0005 && value < 0.0005 ? 0.0 : value);
}

/* "at 0.100 0.000 0.200 m, turned 0.000 0.000 1.571 rad" */
static void put_pose(tpi_buf *out, const tp_pose3d *pose)
{
    const double place[] = {pose->px, pose->py, pose->pz};
    const double turn[] = {pose->proll, pose->ppitch, pose->pyaw};

    tpi_buf_puts(out, "at");
    for (size_t i = 0; i < 3; i++) {
        tpi_buf_putc(out, ' ');
        put_number(out, place[i]);
    }
    tpi_buf_puts(out, " m, turned");
    for (size_t i = 0; i < 3; i++) {
        tpi_buf_putc(out, ' ');
        put_number(out, turn[i]);
    }
    tpi_buf_puts(out, " rad");
}

/* ---- Which frame is in which
 * ------------------------------------------------------------------------ */

/* Names carry a NUL, unless the server is careless. */
static int compare_names(const char *a, uint32_t a_count, const char *b, uint32_t b_count)
{
    const size_t a_length = a_count > 0 ? strnlen(a, a_count) : 0;
    const size_t b_length = b_count > 0 ? strnlen(b, b_count) : 0;
    const size_t both = a_length < b_length ? a_length : b_length;
    const int order = both > 0 ? memcmp(a, b, both) : 0;

    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

/* By robot and name. */
static int compare_frame(const tp_frame_info *frame, uint32_t robot, const char *word,
                         uint32_t word_count)
{
    return frame->robot != robot ? (frame->robot > robot) - (frame->robot < robot)
                                 : compare_names(frame->name, frame->name_count, word, word_count);
}

/* Of those with the same name the first one in the list comes first. */
static int compare_nodes(const void *a, const void *b)
{
    const tp_frame_info *f = (*(const struct node *const *)a)->frame;
    const tp_frame_info *g = (*(const struct node *const *)b)->frame;
    const int order = compare_frame(f, g->robot, g->name, g->name_count);

    return order != 0 ? order : (f > g) - (f < g);
}

/* The frame that one sits in, among `sorted`; NULL if it is a root. */
static struct node *find_parent(const tp_frame_info *frame, struct node **sorted, uint32_t count)
{
    uint32_t from = 0;
    uint32_t to = count;

    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        const bool before = compare_frame(sorted[middle]->frame, frame->robot, frame->parent,
                                          frame->parent_count) < 0;
        from = before ? middle + 1 : from;
        to = before ? to : middle;
    }
    return from < count && compare_frame(sorted[from]->frame, frame->robot, frame->parent,
                                         frame->parent_count) == 0
               ? sorted[from]
               : NULL;
}

/* Children keep the order of the list. */
static bool connect_nodes(struct frames *f)
{
    const uint32_t count = f->list->frames_count;
    struct node **sorted = (struct node **)calloc((size_t)count + 1, sizeof(struct node *));

    f->nodes = calloc((size_t)count + 1, sizeof *f->nodes);
    if (f->nodes == NULL || sorted == NULL) {
        free((void *)sorted);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        f->nodes[i].frame = &f->list->frames[i];
        sorted[i] = &f->nodes[i];
    }
    qsort((void *)sorted, count, sizeof(struct node *), compare_nodes);
    for (uint32_t i = count; i-- > 0;) {
        struct node *parent = find_parent(f->nodes[i].frame, sorted, count);
        f->nodes[i].is_root = parent == NULL;
        if (parent != NULL) {
            f->nodes[i].next = parent->child;
            parent->child = &f->nodes[i];
        }
    }
    free((void *)sorted);
    return true;
}

/* ---- The tree -------------------------------------------------------------------------------- */

static void put_frame(tpi_buf *out, const tp_frame_info *frame, bool root)
{
    output_put_clean(out, frame->name, frame->name_count);
    if (!frame->known) {
        tpi_buf_puts(out, root ? "" : "  (pose not known)");
    } else if (!root) {
        tpi_buf_puts(out, "  ");
        put_pose(out, &frame->pose);
        tpi_buf_puts(out, frame->moves ? "  (moves)" : "");
    }
    tpi_buf_putc(out, '\n');
}

/* All children of a frame; `lines` is what stands before each of their lines. */
static void put_children(tpi_buf *out, const struct node *parent, const char *lines)
{
    char deeper[4 * DEEPEST + 1];

    for (const struct node *node = parent->child; node != NULL; node = node->next) {
        tpi_buf_printf(out, "%s%s", lines, node->next == NULL ? "`-- " : "|-- ");
        put_frame(out, node->frame, false);
        snprintf(deeper, sizeof deeper, "%s%s", lines, node->next == NULL ? "    " : "|   ");
        if (strlen(deeper) < 4 * (size_t)(DEEPEST - 1)) {
            put_children(out, node, deeper);
        }
    }
}

static void put_tree(struct frames *f, tpi_buf *out)
{
    if (f->list->frames_count == 0) {
        tpi_buf_puts(out, "no frames\n");
    }
    out->failed = out->failed || !connect_nodes(f);
    for (uint32_t i = 0; i < f->list->frames_count && !out->failed; i++) {
        if (f->nodes[i].is_root) {
            put_frame(out, f->nodes[i].frame, true);
            put_children(out, &f->nodes[i], "");
        }
    }
    free(f->nodes);
}

static int show_tree(struct frames *f)
{
    tpi_buf out = {0};
    char *json = NULL;

    f->list = remote_ask(&f->remote, TP_PLAYER_REQ_FRAMES, NULL, "frames");
    if (f->list == NULL) {
        return EXIT_FAILED;
    }
    if (f->json) {
        out.failed = tp_value_text(&json, &tp_desc_frame_list, f->list, TP_TEXT_JSON) != TP_OK;
        tpi_buf_printf(&out, "%s\n", json != NULL ? json : "");
        free(json);
    } else {
        put_tree(f, &out);
    }
    return command_write(name, &out);
}

/* ---- A transform ----------------------------------------------------------------------------- */

/* A name that no frame has is reported with the nearest one. */
static int check_name(const struct frames *f, const char *word)
{
    char names[MOST_NAMES][64];
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, word);
    for (uint32_t i = 0; i < f->list->frames_count; i++) {
        const tp_frame_info *frame = &f->list->frames[i];
        if (compare_names(frame->name, frame->name_count, word, (uint32_t)strlen(word) + 1) == 0) {
            return EXIT_DONE;
        }
        if (i < MOST_NAMES) {
            snprintf(names[i], sizeof names[i], "%.*s", (int)frame->name_count, frame->name);
            tpi_nearest_offer(&nearest, names[i]);
        }
    }
    return command_fail(name, EXIT_FAILED, "there is no frame \"%s\"%s", word,
                        tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static int check_names(struct frames *f)
{
    f->list = remote_ask(&f->remote, TP_PLAYER_REQ_FRAMES, NULL, "frames");
    if (f->list == NULL) {
        return EXIT_FAILED;
    }
    const int result = check_name(f, f->words[0]);
    return result == EXIT_DONE ? check_name(f, f->words[1]) : result;
}

static void put_transform(const struct frames *f, tpi_buf *out, const tp_transform_req *transform)
{
    tpi_buf_printf(out, "%s in %s  ", f->words[0], f->words[1]);
    put_pose(out, &transform->pose);
    if (transform->timestamp > 0) {
        tpi_buf_printf(out, "  (measured at %.6f s)", transform->timestamp);
    }
    tpi_buf_putc(out, '\n');
}

static int show_transform(struct frames *f)
{
    const tp_transform_req ask = {
        .from_count = (uint32_t)strlen(f->words[0]) + 1,
        .from = f->words[0],
        .to_count = (uint32_t)strlen(f->words[1]) + 1,
        .to = f->words[1],
    };
    tpi_buf out = {0};
    char *json = NULL;
    const int result = check_names(f);

    if (result != EXIT_DONE) {
        return result;
    }
    const tp_transform_req *transform =
        remote_ask(&f->remote, TP_PLAYER_REQ_TRANSFORM, &ask, "transform");
    if (transform == NULL) {
        return EXIT_FAILED;
    }
    if (f->json) {
        out.failed = tp_value_text(&json, &tp_desc_transform_req, transform, TP_TEXT_JSON) != TP_OK;
        tpi_buf_printf(&out, "%s\n", json != NULL ? json : "");
        free(json);
    } else {
        put_transform(f, &out, transform);
    }
    return command_write(name, &out);
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int read_options(struct frames *f, int argc, char **argv)
{
    static const char *const options[] = {"--json", NULL};
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (remote_has_option(argv[i])) {
            result = remote_option(&f->remote, argc, argv, &i);
        } else if (strcmp(argv[i], "--json") == 0) {
            f->json = true;
        } else if (argv[i][0] == '-' || f->word_count == MOST_WORDS) {
            result = remote_unexpected(&f->remote, argv[i], options);
        } else {
            f->words[f->word_count++] = argv[i];
        }
    }
    if (result == EXIT_DONE && f->word_count == 1) {
        return remote_set_url(&f->remote, f->words[0]);
    }
    return result;
}

static int run(int argc, char **argv)
{
    struct frames f = {.json = false};
    int result = remote_init(&f.remote, name);

    result = result == EXIT_DONE ? read_options(&f, argc, argv) : result;
    result = result == EXIT_DONE ? remote_connect(&f.remote, TP_CLIENT_FRESH, false) : result;
    if (result == EXIT_DONE) {
        result = f.word_count == 2 ? show_transform(&f) : show_tree(&f);
    }
    remote_fini(&f.remote);
    return result;
}

const command command_frames = {
    .name = name,
    .summary = "show the tree of frames of reference, or one transform",
    .help =
        "usage: troupe frames [URL] [--json]\n"
        "       troupe frames FROM TO [--json]\n"
        "\n"
        "Draws the frames of reference of a Troupe server as a tree, each with its pose in the\n"
        "frame above it: x y z in metres, roll pitch yaw in radians. With two names, it prints\n"
        "the pose of the first frame in the second.\n"
        "\n"
        "  --json          print one JSON object\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe frames\n"
        "          troupe frames laser:0 base\n",
    .run = run,
};
