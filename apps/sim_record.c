/* sim_record.c - where robots were, step by step; see sim_record.h. */
#include "sim_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_record {
    FILE *file;      /* owned */
    tpi_buf name;    /* of the robot at hand */
    char path[1024]; /* for errors */
    int64_t time_us; /* of the last lines */
};

tp_status sim_record_open(sim_record **out, const char *path, tp_error *err)
{
    sim_record *record = calloc(1, sizeof *record);

    *out = NULL;
    if (record == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    snprintf(record->path, sizeof record->path, "%s", path);
    record->time_us = -1;
    record->file = fopen(path, "w");
    if (record->file == NULL) {
        free(record);
        return tp_fail(err, TP_E_IO, "cannot write %s: %s", path, strerror(errno));
    }
    fputs("time,robot,x,y,heading,vx,vy,turn,stalled\n", record->file);
    *out = record;
    return TP_OK;
}

/* As spreadsheets want it: in quotation marks, those within it doubled. */
static void write_name(sim_record *record)
{
    const char *name = tpi_buf_text(&record->name);

    if (strpbrk(name, ",\"\n") == NULL) {
        fputs(name, record->file);
        return;
    }
    fputc('"', record->file);
    for (; *name != '\0'; name++) {
        fputs(*name == '"' ? "\"\"" : (char[]){*name, '\0'}, record->file);
    }
    fputc('"', record->file);
}

static void write_robot(sim_record *record, const tpi_sim *sim, tpi_sim_model model)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(sim, model);
    tpi_sim_motion motion;

    if (tpi_sim_get_motion(sim, model, &motion, NULL) != TP_OK) {
        return;
    }
    tpi_buf_clear(&record->name);
    tpi_sim_put_name(sim, model, &record->name);
    fprintf(record->file, "%.3f,", (double)record->time_us * 1e-6);
    write_name(record);
    fprintf(record->file, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d\n", pose.x, pose.y, pose.a,
            motion.velocity[0], motion.velocity[1], motion.velocity[2], motion.stalled);
}

void sim_record_note(sim_record *record, const tpi_sim *sim)
{
    tpi_sim_info info;

    if (tpi_sim_time_us(sim) == record->time_us) {
        return;
    }
    record->time_us = tpi_sim_time_us(sim);
    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_model_info(sim, i, &info);
        if (info.kind == TPI_SIM_POSITION) {
            write_robot(record, sim, i);
        }
    }
}

tp_status sim_record_close(sim_record *record, tp_error *err)
{
    tp_status status = TP_OK;

    if (record == NULL) {
        return TP_OK;
    }
    const bool failed = ferror(record->file) != 0;
    if (fclose(record->file) != 0 || failed) {
        status = tp_fail(err, TP_E_IO, "cannot write %s", record->path);
    }
    tpi_buf_fini(&record->name);
    free(record);
    return status;
}
