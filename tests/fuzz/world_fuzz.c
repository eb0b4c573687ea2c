/* world_fuzz.c - loading any text as a world; what is accepted can be asked about, stepped, saved
 * and restored. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "sim/move/aircraft.h"
#include "sim/move/limb.h"
#include "sim/sense/sensors.h"

static const char path[] = "no-such-folder/fuzz.world"; /* where no include is found */

enum { MOST_STEPPED = 200, MOST_SAMPLES = 20000 };

/* `context` says whether two models have one name: what stands on the first is not found then. */
static void check_note(void *context, const char *text)
{
    *(bool *)context |= strstr(text, "; from here on it is this model's") != NULL ||
                        strstr(text, "; it is the last one's") != NULL;
    fuzz_require(strncmp(text, path, sizeof path - 1) == 0, "a note without a place");
}

/* An absolute name could be that of any file or device here. */
static bool names_files_absolutely(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (data[i] == '"' && data[i + 1] == '/') {
            return true;
        }
    }
    return false;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void ask_scans(const tpi_sim *sim, tpi_sim_model model)
{
    for (uint32_t i = 0; i < tpi_sim_sensor_count(sim, model); i++) {
        tpi_sim_sensor sensor;
        tpi_sim_scan scan;
        fuzz_require(tpi_sim_get_sensor(sim, model, i, &sensor, NULL) == TP_OK, "no sensor");
        fuzz_require(tpi_sim_get_scan(sim, model, i, &scan, NULL) == TP_OK, "no scan");
        for (uint32_t k = 0; k < scan.count; k++) {
            fuzz_require(scan.ranges[k] <= sensor.range_max, "a range that is too long");
        }
    }
}

static void ask_lists(const tpi_sim *sim, tpi_sim_model model)
{
    tpi_sim_fiducials fiducials;
    tpi_sim_blobs blobs;
    tpi_sim_bumpers bumpers;
    tpi_sim_links links;

    if (tpi_sim_get_fiducials(sim, model, &fiducials, NULL) == TP_OK) {
        for (uint32_t i = 0; i < fiducials.count; i++) {
            fuzz_require(isfinite(fiducials.items[i].range), "a marker that is nowhere");
        }
    }
    if (tpi_sim_get_blobs(sim, model, &blobs, NULL) == TP_OK) {
        for (uint32_t i = 0; i < blobs.count; i++) {
            const tpi_sim_blob *blob = &blobs.items[i];
            fuzz_require(blob->left <= blob->right && blob->right < blobs.width &&
                             blob->top <= blob->bottom && blob->bottom < blobs.height,
                         "a blob outside of the picture");
        }
    }
    if (tpi_sim_get_bumpers(sim, model, &bumpers, NULL) == TP_OK) {
        fuzz_require(bumpers.count <= TPI_SIM_MOST_BUMPERS, "too many bumpers");
    }
    if (tpi_sim_get_links(sim, model, &links, NULL) == TP_OK) {
        for (uint32_t i = 0; i < links.count; i++) {
            fuzz_require(links.items[i].level >= links.noise, "a station that is too weak");
        }
    }
}

static void ask_picture(const tpi_sim *sim, tpi_sim_model model)
{
    tpi_sim_image image;
    tpi_sim_floor_values floor;

    if (tpi_sim_get_image(sim, model, &image, NULL) == TP_OK) {
        for (size_t i = 0; i < (size_t)image.width * image.height; i++) {
            fuzz_require(image.depth[i] >= 0 && isfinite(image.depth[i]), "a depth that is none");
        }
    }
    if (tpi_sim_get_floor(sim, model, &floor, NULL) == TP_OK) {
        for (uint32_t i = 0; i < floor.count; i++) {
            fuzz_require(floor.items[i].reflectance >= 0 && floor.items[i].reflectance <= 1,
                         "a floor that is brighter than white");
        }
    }
}

static void ask_numbers(const tpi_sim *sim, tpi_sim_model model)
{
    tpi_sim_brightness brightness;
    tpi_sim_hearing hearing;
    tpi_sim_fix fix;
    tpi_sim_inertia inertia;
    tpi_sim_compass compass;

    if (tpi_sim_get_brightness(sim, model, &brightness, NULL) == TP_OK) {
        fuzz_require(brightness.level >= 0 && isfinite(brightness.level), "a light that is none");
    }
    if (tpi_sim_get_hearing(sim, model, &hearing, NULL) == TP_OK) {
        fuzz_require(isfinite(hearing.level), "a sound that is none");
    }
    if (tpi_sim_get_fix(sim, model, &fix, NULL) == TP_OK) {
        fuzz_require(fabs(fix.latitude) <= 90 && fabs(fix.longitude) <= 180 &&
                         isfinite(fix.utm_e) && isfinite(fix.utm_n) && isfinite(fix.speed),
                     "a fix that is not on Earth");
    }
    if (tpi_sim_get_inertia(sim, model, &inertia, NULL) == TP_OK) {
        fuzz_require(isfinite(inertia.acceleration[0]) && isfinite(inertia.rate[2]),
                     "an acceleration that is none");
    }
    if (tpi_sim_get_compass(sim, model, &compass, NULL) == TP_OK) {
        fuzz_require(compass.bearing >= 0 && compass.bearing < 6.2831854, "a bearing that is none");
    }
}

static void ask_radios(const tpi_sim *sim, tpi_sim_model model)
{
    tpi_sim_tags tags;
    tpi_sim_routes routes;

    if (tpi_sim_get_tags(sim, model, &tags, NULL) == TP_OK) {
        for (uint32_t i = 0; i < tags.count; i++) {
            fuzz_require(isfinite(tags.items[i].range) && tags.items[i].length <= TPI_SIM_TAG_BYTES,
                         "a tag that is none");
        }
    }
    if (tpi_sim_get_routes(sim, model, &routes, NULL) == TP_OK) {
        for (uint32_t i = 0; i < routes.count; i++) {
            fuzz_require(routes.items[i].level >= 0 && routes.items[i].level <= 1,
                         "a node that is not heard");
        }
    }
}

static void ask_movers(const tpi_sim *sim, tpi_sim_model model)
{
    tpi_sim_flight flight;
    tpi_sim_limb limb;
    tpi_sim_stereo stereo;

    if (tpi_sim_get_flight(sim, model, &flight, NULL) == TP_OK) {
        fuzz_require(isfinite(flight.estimate[2]) && isfinite(flight.velocity[2]),
                     "a height that is none");
    }
    if (tpi_sim_get_limb(sim, model, &limb, NULL) == TP_OK) {
        fuzz_require(isfinite(limb.tip.x) && limb.joint_count <= TPI_SIM_MOST_JOINTS,
                     "a tip that is nowhere");
    }
    if (tpi_sim_get_stereo(sim, model, &stereo, NULL) == TP_OK) {
        fuzz_require(stereo.baseline > 0 && stereo.left.width == stereo.right.width,
                     "two pictures that do not match");
    }
}

static void ask(const tpi_sim *sim, bool taken)
{
    tpi_buf name = {0};

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim) && i < MOST_STEPPED; i++) {
        const tpi_sim_pose pose = tpi_sim_global_pose(sim, i);
        tpi_sim_info info;
        fuzz_require(isfinite(pose.x) && isfinite(pose.y) && isfinite(pose.z) && isfinite(pose.a),
                     "a pose that is nowhere");
        tpi_sim_model_info(sim, i, &info);
        fuzz_require(info.family >= 1 && info.type != NULL, "a model without family or type");
        tpi_buf_clear(&name);
        tpi_sim_put_name(sim, i, &name);
        fuzz_require(taken || tpi_sim_find(sim, tpi_buf_text(&name)) != TPI_SIM_NONE,
                     "a name is not found");
        ask_scans(sim, i);
        ask_lists(sim, i);
        ask_picture(sim, i);
        ask_numbers(sim, i);
        ask_radios(sim, i);
        ask_movers(sim, i);
    }
    tpi_buf_fini(&name);
}

/* ---- Going on -------------------------------------------------------------------------------- */

static void drive_all(tpi_sim *sim)
{
    const double goal[3] = {0.5, -0.25, 0.75};
    const double flight[4] = {0.5, -0.25, 0.5, 0.75};
    const tpi_sim_reach reach = {.x = 0.4, .y = 0.2, .z = 0.1, .straight = true};
    const tpi_sim_note_play note = {.frequency = 440, .seconds = 0.15, .amplitude = 0.5};

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_subscribe(sim, i);
        tpi_sim_drive(sim, i, TPI_SIM_DRIVE_VELOCITY, goal, NULL);
        tpi_sim_fly(sim, i, i % 2 == 0 ? TPI_SIM_DRIVE_VELOCITY : TPI_SIM_DRIVE_POSITION, flight, 0,
                    NULL);
        tpi_sim_limb_reach(sim, i, &reach, NULL);
        tpi_sim_play(sim, i, &note, 1, NULL);
    }
}

/* A saved state leads to the same world again. */
static void go_on(tpi_sim *sim, bool taken)
{
    tpi_buf saved = {0};
    tp_error err = {0};

    drive_all(sim);
    tpi_sim_step(sim);
    ask(sim, taken);
    tpi_sim_save(sim, &saved);
    tpi_sim_step(sim);
    const uint64_t hash = tpi_sim_hash(sim);
    fuzz_require(tpi_sim_restore(sim, saved.data, saved.length, &err) == TP_OK,
                 "a saved state is refused");
    tpi_sim_step(sim);
    fuzz_require(tpi_sim_hash(sim) == hash, "a restored world goes on another way");
    ask(sim, taken);
    tpi_buf_fini(&saved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool taken = false;
    const tpi_sim_options options = {.seed = 1, .note = check_note, .context = &taken};
    tpi_sim_usage usage;
    tp_error err = {0};
    tpi_sim *sim;

    if (names_files_absolutely(data, size)) {
        return 0;
    }
    if (tpi_sim_parse(&sim, path, (const char *)data, size, &options, &err) != TP_OK) {
        fuzz_require(strncmp(err.text, path, sizeof path - 1) == 0, "an error without a place");
        return 0;
    }
    tpi_sim_get_usage(sim, &usage);
    ask(sim, taken);
    if (tpi_sim_model_count(sim) <= MOST_STEPPED && usage.sample_bytes <= MOST_SAMPLES * 12) {
        go_on(sim, taken);
    }
    tpi_sim_destroy(sim);
    return 0;
}
