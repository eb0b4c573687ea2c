/*
 * world_probe.c - loads a world and steps it: `world_probe WORLD STEPS`.
 *
 * Prints the notes of the loader, and then what models there are. Fails with the reason if the
 * world does not load.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/sim.h"

static void print_note(void *context, const char *text)
{
    (void)context;
    printf("note: %s\n", text);
}

static void print_models(const tpi_sim *sim)
{
    tpi_buf name = {0};
    tpi_sim_info info;

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_buf_clear(&name);
        tpi_sim_put_name(sim, i, &name);
        tpi_sim_model_info(sim, i, &info);
        printf("%s %s\n", tpi_buf_text(&name), info.type);
    }
    tpi_buf_fini(&name);
}

int main(int argc, char **argv)
{
    const tpi_sim_options options = {.seed = 1, .note = print_note};
    tpi_sim *sim = NULL;
    tp_error err;

    if (argc != 3) {
        fputs("usage: world_probe WORLD STEPS\n", stderr);
        return 2;
    }
    if (tpi_sim_load(&sim, argv[1], &options, &err) != TP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_subscribe(sim, i);
    }
    for (long i = strtol(argv[2], NULL, 10); i > 0; i--) {
        tpi_sim_step(sim);
    }
    print_models(sim);
    tpi_sim_destroy(sim);
    return 0;
}
