/* front_scene.c - see front_scene.h. */
#include "conformance/front_scene.h"

#include <stdlib.h>

#include "support/unit.h"

tp_status front_scene_open(const struct front_scene *s, tp_front_instance **out,
                           const char *address, const tpi_setting *setting, const char **blamed,
                           tp_error *err)
{
    const bool single = (s->suite->front->flags & TP_FRONT_PER_ROBOT) != 0;
    const tpi_front_opening plan = {
        .front = s->suite->front,
        .hub = s->stage.b.hub,
        .loop = s->stage.b.loop,
        .place = {address, single ? BENCH_ROBOT : TP_EVERY_ROBOT, TP_REACH_LOOPBACK, 0},
        .settings = setting,
        .setting_count = setting != NULL};

    return tpi_front_open(out, &plan, blamed, err);
}

struct front_scene *front_scene_begin(void **state)
{
    struct front_scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->suite = *state;
    stage_begin(&s->stage, &motor_on_loop);
    if (s->suite->behind != NULL) {
        const bench_section section = {.driver = s->suite->behind,
                                       .provides = s->suite->behind_provides};

        s->behind = bench_plan_create(s->stage.b.catalogue, &section, 0);
        assert_int_equal(tpi_hub_add(s->stage.b.hub, bench_plan_blueprint(s->behind), NULL, NULL),
                         TP_OK);
    }
    if (front_scene_open(s, &s->front, FRONT_ANYWHERE, NULL, NULL, &s->stage.err) != TP_OK) {
        fail_msg("%s", s->stage.err.text);
    }
    return s;
}

size_t front_scene_sessions(const struct front_scene *s)
{
    size_t count = 0;

    for (const tp_session *at = tpi_clients_first(s->stage.b.hub); at != NULL; at = at->next) {
        count += at != s->stage.sessions[0];
    }
    return count;
}

void front_scene_keep_open(struct front_scene *s)
{
    assert_int_equal(stage_enter(&s->stage, 0, NULL), TP_OK);
}

void front_scene_await(const struct front_scene *s, size_t count)
{
    while (front_scene_sessions(s) != count) {
        tp_loop_turn(s->stage.b.loop, false);
    }
}

void front_scene_end(struct front_scene *s)
{
    tpi_front_close(s->front);
    assert_int_equal(front_scene_sessions(s), 0);
    tpi_buf_fini(&s->bytes);
    stage_end(&s->stage);
    if (s->behind != NULL) {
        bench_plan_destroy(s->behind);
    }
    free(s);
}

void front_scene_enter_at(struct front_scene *s, peer *p, const tp_front_instance *front)
{
    peer_connect(p, s->suite, s->stage.b.loop, tpi_front_port(front), 0);
}

void front_scene_enter(struct front_scene *s, peer *p)
{
    front_scene_enter_at(s, p, s->front);
}

void front_scene_ask(struct front_scene *s, peer *p)
{
    s->suite->put_request(&s->bytes);
    assert_true(peer_send_buf(p, &s->bytes));
    peer_await(p, SUITE_REPLY);
}

void front_scene_open_device(struct front_scene *s, peer *p)
{
    s->suite->put_open(&s->bytes);
    assert_true(peer_send_buf(p, &s->bytes));
    peer_await(p, SUITE_REPLY);
}

void front_scene_command(struct front_scene *s, peer *p, double speed)
{
    s->suite->put_command(&s->bytes, speed);
    assert_true(peer_send_buf(p, &s->bytes));
    front_scene_ask(s, p);
}

void front_scene_visit(struct front_scene *s, peer *p)
{
    front_scene_enter(s, p);
    front_scene_open_device(s, p);
    front_scene_ask(s, p);
}
