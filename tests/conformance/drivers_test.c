/*
 * drivers_test.c - every driver passes the suite; a new one gets a line here.
 *
 * `remote` plays on a server that runs beside, in a process of its own. `isolated`
 * is made by the server only, and shown by tests/system/60-servers-together.py.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/driver_suite.h"
#include "platform/folder.h"
#include "troupe/server.h"

extern const tp_driver tp_driver_amcl;
extern const tp_driver tp_driver_create;
extern const tp_driver tp_driver_cspace;
extern const tp_driver tp_driver_dummy;
extern const tp_driver tp_driver_fake;
extern const tp_driver tp_driver_fakelocalize;
extern const tp_driver tp_driver_inhibit;
extern const tp_driver tp_driver_lasertoranger;
extern const tp_driver tp_driver_mapfile;
extern const tp_driver tp_driver_mobile;
extern const tp_driver tp_driver_motion;
extern const tp_driver tp_driver_garminnmea;
extern const tp_driver tp_driver_gps;
extern const tp_driver tp_driver_p2os;
extern const tp_driver tp_driver_p2os_position;
extern const tp_driver tp_driver_passthrough;
extern const tp_driver tp_driver_program;
extern const tp_driver tp_driver_rangertolaser;
extern const tp_driver tp_driver_relay;
extern const tp_driver tp_driver_remote;
extern const tp_driver tp_driver_robotfile;
extern const tp_driver tp_driver_roomba;
extern const tp_driver tp_driver_sicklms200;
extern const tp_driver tp_driver_sim;
extern const tp_driver tp_driver_stage;
extern const tp_driver tp_driver_localbb;
extern const tp_driver tp_driver_switch;
extern const tp_driver tp_driver_vfh;
extern const tp_driver tp_driver_urglaser;
extern const tp_driver tp_driver_hokuyo_aist;
extern const tp_driver tp_driver_wavefront;
extern const tp_driver tp_driver_urg; /* the example of a plug-in */

static char far_url[128]; /* "url=unix:..." */

#define EVERYTHING                                                                                 \
    "power:0 gripper:0 position2d:0 sonar:0 laser:0 blobfinder:0 ptz:0 audio:0 fiducial:0 "        \
    "speech:0 gps:0 bumper:0 dio:0 aio:0 ir:0 wifi:0 localize:0 position3d:0 simulation:0 "        \
    "blinkenlight:0 camera:0 map:0 planner:0 log:0 joystick:0 speech_recognition:0 opaque:0 "      \
    "position1d:0 actarray:0 limb:0 graphics2d:0 rfid:0 wsn:0 graphics3d:0 health:0 imu:0 "        \
    "pointcloud3d:0 ranger:0 vectormap:0 blackboard:0 stereo:0 coopobject:0 mobile:0"

static const char *const bad_rates[] = {"rate=0",     "rate=-1",    "rate=nan",
                                        "rate=often", "rate=1e300", NULL};
static const char *const bad_fakes[] = {
    "rate=0",      "rate=-1",      "rate=nan",         "rate=often",
    "noise=-1",    "position=1,2", "orientation=1",    "size=1,2,3,4",
    "size=1,2,-3", "rate=1e300",   "position=1,2,inf", "noise=1e300",
    NULL};
static const char *const bad_passes[] = {"timeout=0", "timeout=-1", "timeout=soon", "timeout=nan",
                                         "rate=-1",   "rate=1e300", "rate=1e-300",  NULL};
static const char *const bad_remotes[] = {"url=unix:/x timeout=0",
                                          "url=unix:/x patience=nan",
                                          "url=unix:/x devices=sonar:0",
                                          "url=unix:/x devices=position2d:-1",
                                          "url=http://x",
                                          "url=unix:/x key_file=/no/such",
                                          NULL};
static const char *const bad_lasers[] = {"force_config=1", "force_config=1,2,3,4,5,6", NULL};

static const char *const bad_spaces[] = {"radius=0",    "radius=-1",           "radius=nan",
                                         "outline=1,1", "outline=1,1,2,2,3,3", "radius=1 pose=1",
                                         NULL};
static const char *const bad_inhibits[] = {
    "stop_distance=1", "slow_distance=-1", "timeout=0", "front=-1", "cone=7", "poses=1,2", NULL};
#define MAPFILE "filename=" TEST_ROOT "/worlds/cave.png"
static const char *const bad_mapfiles[] = {
    "resolution=0.1",        "filename=/no/such.png resolution=0.1", MAPFILE,
    MAPFILE " resolution=0", MAPFILE " resolution=0.1 origin=1",     NULL};
static const char *const bad_vfhs[] = {
    "cell_size=0", "window_diameter=1", "max_speed=0", "sector_angle=90",
    "timeout=0",   "safety_dist=-1",    "outline=1,2", NULL};
static const char *const bad_wavefronts[] = {"safety_dist=-1", "update_rate=0", "timeout=0",
                                             "distance_epsilon=0", NULL};
static const char *const bad_amcls[] = {"pf_min_samples=0",
                                        "pf_min_samples=200 pf_max_samples=100",
                                        "init_pose=1,2",
                                        "laser_model=x",
                                        "update_thresh=1",
                                        "laser_range_bad=0",
                                        NULL};
static const char *const bad_mobiles[] = {
    "axes=z", "axes=a", "rate=0", "max_speed=0", "min_turn_radius=-1", "tolerance=1", NULL};
#define PIONEER "urdf=" TEST_ROOT "/robots/pioneer.urdf"
static const char *const bad_motions[] = {"urdf=/no/such.urdf",
                                          PIONEER " period=0",
                                          PIONEER " ahead=nan",
                                          PIONEER " lease=-1",
                                          PIONEER " max_lease=1",
                                          PIONEER " clients=0",
                                          PIONEER " frames=1e9",
                                          PIONEER " on_lost=pause",
                                          PIONEER " update=colour",
                                          PIONEER " gain=0",
                                          PIONEER " base_acceleration=0,0,0",
                                          PIONEER " acceleration=wrist",
                                          PIONEER " tolerance=-1,0",
                                          NULL};
#define MUTE                                                                                       \
    "robot=" TEST_ROOT "/tests/data/universal/mute.xml port=script:" TEST_ROOT                     \
    "/tests/data/universal/mute.script"
static const char *const bad_robots[] = {"robot=nobody port=script:x",
                                         MUTE " rate=0",
                                         MUTE " rate=nan",
                                         MUTE " max_speed=0",
                                         MUTE " width=-1",
                                         MUTE " motor_speed=0",
                                         MUTE " wiring=/no/such.xml",
                                         NULL};
static const char *const bad_programs[] = {
    "file=/no/such.play", "file=" TEST_ROOT "/README.md", "retry=-1", "rate=0", "rate=1e9", NULL};
#define YARD "worldfile=" TEST_ROOT "/tests/data/sim/yard.world sleep=1"
#define MODELS                                                                                     \
    "simulation:0 world:0 map:0 scene:0 position2d:0 localize:0 ranger:0 ranger:1 sonar:0 "        \
    "laser:0 "                                                                                     \
    "bumper:0 fiducial:0 blobfinder:0 gripper:0 actarray:0 blinkenlight:0 power:0 aio:0 aio:1 "    \
    "aio:2 aio:3 dio:0 dio:1 wifi:0 gps:0 imu:0 graphics2d:0 graphics3d:0 speech:0 camera:0 ptz:0"
#define EVERYWHERE "worldfile=" TEST_ROOT "/tests/data/sim/everything.world sleep=1 model=r"
#define GALLERY "worldfile=" TEST_ROOT "/tests/data/sim/gallery.world sleep=1 model=zeppelin"
#define GALLERY_MODELS                                                                             \
    "world:0 position1d:0 position3d:0 limb:0 rfid:0 audio:0 audio:1 wsn:0 coopobject:0 stereo:0"
static const char *const bad_sims[] = {"sleep=1",
                                       YARD " speed=-1",

                                       YARD " threads=0",
                                       YARD " threads=100",
                                       YARD " map_resolution=0",
                                       YARD " profile=x",
                                       YARD " model=nobody",
                                       YARD " model=north",
                                       "worldfile=/nowhere",
                                       NULL};
#define P2OS "port=script:" TEST_ROOT "/drivers/p2os/patient.script"
static const char *const bad_p2os[] = {
    P2OS " max_xspeed=9", P2OS " pulse=2",           P2OS " bumpstall=4", P2OS " model=tricycle",
    P2OS " baud=1",       P2OS " tcp_remote_port=0", P2OS " timeout=0",   NULL};
#define SICK "port=script:" TEST_ROOT "/drivers/sicklms200/patient.script"
static const char *const bad_sicks[] = {SICK " resolution=30",   SICK " range_res=2",
                                        SICK " connect_rate=17", SICK " transfer_rate=115200",
                                        SICK " timeout=0",       NULL};
#define GPS "port=script:" TEST_ROOT "/tests/data/universal/mute.script"
static const char *const bad_gps[] = {GPS " baud=1", GPS " timeout=0", NULL};
static const char *const bad_switches[] = {"mode=x", "source=2", "timeout=0", "timeout=nan", NULL};
#define URG "port=script:" TEST_ROOT "/examples/driver-out-of-tree/fast.script continuous=no"
static const char *const bad_urgs[] = {
    URG " baud=1",    URG " cluster=0",   URG " min_angle=1 max_angle=0",
    URG " timeout=0", URG " timeout=1e9", NULL};

static const suite_driver drivers[] = {
    {
        .section = {&tp_driver_cspace, "laser:10 ranger:10", "laser:0", "radius=0.3"},
        .behind = "laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_spaces,
    },
    {
        .section = {&tp_driver_dummy, "camera:0 laser:0 position2d:0 sonar:0 wifi:0 imu:0", NULL,
                    "rate=1000"},
        .bad_settings = bad_rates,
        .refuses_requests = true,
    },
    {
        .section = {&tp_driver_fake, EVERYTHING, NULL, "rate=1000"},
        .bad_settings = bad_fakes,
        .quiet = "blackboard",
    },
    {
        .section = {&tp_driver_fakelocalize, "localize:0", NULL, YARD " speed=10"},
        .foreign = "health:0",
        .bad_settings = bad_sims,
    },
    {
        .section = {&tp_driver_inhibit, "position2d:10",
                    "position2d:0 laser:0 ranger:0 sonar:0 ir:0 bumper:0", "wheelbase=0.3"},
        .behind = "position2d:0 laser:0 ranger:0 sonar:0 ir:0 bumper:0",
        .foreign = "sonar:0",
        .bad_settings = bad_inhibits,
    },
    {
        .section = {&tp_driver_lasertoranger, "ranger:0", "laser:0", NULL},
        .behind = "laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_lasers,
    },
    {
        .section = {&tp_driver_mapfile, "map:0", NULL, MAPFILE " resolution=0.1"},
        .foreign = "sonar:0",
        .bad_settings = bad_mapfiles,
        .quiet = "map",
    },
    {
        .section = {&tp_driver_vfh, "position2d:10 planner:10", "position2d:0 laser:0", NULL},
        .behind = "position2d:0 laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_vfhs,
    },
    {
        .section = {&tp_driver_amcl, "localize:10 position2d:10", "position2d:0 laser:0 map:0",
                    "pf_max_samples=200"},
        .behind = "position2d:0 laser:0 map:0",
        .foreign = "sonar:0",
        .bad_settings = bad_amcls,
        .waits_for_others = true,
    },
    {
        .section = {&tp_driver_wavefront, "planner:10", "position2d:0 map:0 laser:0", NULL},
        .behind = "position2d:0 map:0 laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_wavefronts,
    },
    {
        .section = {&tp_driver_mobile, "mobile:10", "position2d:0", "axes=x,y,yaw"},
        .behind = "position2d:0",
        .foreign = "sonar:0",
        .bad_settings = bad_mobiles,
    },
    {
        .section = {&tp_driver_motion, "mechanism:0", "position2d:0 head@ptz:0", PIONEER},
        .behind = "position2d:0 ptz:0",
        .foreign = "sonar:0",
        .bad_settings = bad_motions,
        .waits_for_others = true,
    },
    {
        .section = {&tp_driver_garminnmea, "gps:0", NULL, GPS " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_gps,
        .quiet = "gps",
    },
    {
        .section = {&tp_driver_gps, "gps:0", NULL, GPS " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_gps,
        .quiet = "gps",
    },
    {
        .section = {&tp_driver_p2os_position, "position2d:0 sonar:0", NULL, P2OS " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_p2os,
        .quiet = "position2d sonar",
    },
    {
        .section = {&tp_driver_p2os, "position2d:0 sonar:0 bumper:0 power:0 gripper:0 aio:0 dio:0",
                    NULL, P2OS " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_p2os,
        .quiet = "position2d sonar bumper power gripper aio dio",
    },
    {
        .section = {&tp_driver_passthrough, "position2d:10 laser:10 a@ptz:10 b@ptz:11 log:10",
                    "laser:0 position2d:0 b@ptz:1 a@ptz:0 log:0", NULL},
        .behind = "position2d:0 laser:0 ptz:0 ptz:1 log:0",
        .foreign = "sonar:0",
        .bad_settings = bad_passes,
    },
    {
        .section = {&tp_driver_program, "program:0", "universal:0",
                    "file=" TEST_ROOT "/programs/follow-line.play start=no stay=no"},
        .behind = "universal:0",
        .behind_driver = "robotfile",
        .behind_settings = MUTE,
        .foreign = "sonar:0",
        .bad_settings = bad_programs,
        .quiet = "program",
    },
    {
        .section = {&tp_driver_rangertolaser, "laser:0", "ranger:0", NULL},
        .behind = "ranger:0",
        .foreign = "sonar:0",
    },
    {
        .section = {&tp_driver_relay, "position2d:10 laser:10", "laser:0 position2d:0",
                    "rate=100 latch=1"},
        .behind = "position2d:0 laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_passes,
    },
    {
        .section = {&tp_driver_remote, "position2d:0 laser:0 ptz:0 log:0", NULL, far_url},
        .bad_settings = bad_remotes,
    },
    {
        .section = {&tp_driver_robotfile,
                    "position2d:0 aio:0 dio:0 power:0 ranger:0 sonar:0 bumper:0 actarray:0 "
                    "blinkenlight:0 speech:0",
                    NULL, MUTE " rate=1000"},
        .foreign = "gripper:0",
        .bad_settings = bad_robots,
    },
    {
        .section = {&tp_driver_create, "position2d:0 bumper:0 power:0", NULL, MUTE " rate=1000"},
        .foreign = "gripper:0",
        .bad_settings = bad_robots,
    },
    {
        .section = {&tp_driver_roomba, "position2d:0 bumper:0 power:0", NULL, MUTE " rate=1000"},
        .foreign = "gripper:0",
        .bad_settings = bad_robots,
    },
    {
        .section = {&tp_driver_sicklms200, "laser:0", NULL, SICK " timeout=3600"},
        .foreign = "sonar:0",
        .bad_settings = bad_sicks,
        .quiet = "laser",
    },
    {
        .section = {&tp_driver_sim, MODELS, NULL, EVERYWHERE},
        .foreign = "health:0",
        .bad_settings = bad_sims,
    },
    {
        .section = {&tp_driver_sim, GALLERY_MODELS, NULL, GALLERY},
        .foreign = "health:0",
        .bad_settings = bad_sims,
    },
    {
        .section = {&tp_driver_stage, "simulation:0 position2d:0 ranger:0", NULL,
                    YARD " speed=10 threads=2"},
        .foreign = "health:0",
        .bad_settings = bad_sims,
    },
    {
        .section = {&tp_driver_localbb, "blackboard:0", NULL, NULL},
        .foreign = "sonar:0",
        .quiet = "blackboard",
    },
    {
        .section = {&tp_driver_switch, "position2d:10", "a@position2d:0 position2d:1",
                    "mode=priority timeout=0.2"},
        .behind = "position2d:0 position2d:1",
        .foreign = "sonar:0",
        .bad_settings = bad_switches,
    },
    {
        .section = {&tp_driver_urglaser, "ranger:0 laser:0", NULL, URG},
        .foreign = "sonar:0",
        .bad_settings = bad_urgs,
    },
    {
        .section = {&tp_driver_hokuyo_aist, "ranger:0 laser:0", NULL, URG},
        .foreign = "sonar:0",
        .bad_settings = bad_urgs,
    },
    {
        .section = {&tp_driver_urg, "ranger:0 laser:0", NULL, URG},
        .foreign = "sonar:0",
        .bad_settings = bad_urgs,
    },
};

static const char *const no_sections[] = {"isolated", NULL};

/* ---- The server beside ----------------------------------------------------------------------- */

struct far {
    char folder[64];
    pid_t process;
};

/* In the child: serve until the parent kills it. */
static void serve(const char *path, int ready)
{
    const tp_server_options options = {
        .kit = &tp_full_kit,
        .path = "far.cfg",
        .text = "driver ( name \"fake\" rate 1000 provides [ \"position2d:0\" \"laser:0\" "
                "\"ptz:0\" \"log:0\" \"position2d:100\" \"laser:100\" \"ptz:100\" "
                "\"log:100\" ] )",
        .listen = "",
        .unix_path = path};
    tp_server *server = NULL;
    tp_error err = {0};

    if (tp_server_create(&server, &options, &err) != TP_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        _exit(1);
    }
    (void)close(ready);
    tp_server_run(server);
}

/* A process of its own, so that its memory is not counted with the tests'. */
static bool begin(struct far *far)
{
    char path[96];
    char none;
    int ready[2];

    if (tpi_folder_make(far->folder, sizeof far->folder, NULL) != TP_OK || pipe(ready) != 0) {
        return false;
    }
    (void)snprintf(path, sizeof path, "%s/far", far->folder);
    (void)snprintf(far_url, sizeof far_url, "url=unix:%s", path);
    far->process = fork();
    if (far->process == 0) {
        (void)close(ready[0]);
        serve(path, ready[1]);
    }
    (void)close(ready[1]);
    const bool listens = read(ready[0], &none, 1) == 0 && access(path, F_OK) == 0;
    (void)close(ready[0]);
    return listens;
}

static void end(const struct far *far)
{
    (void)kill(far->process, SIGKILL);
    (void)waitpid(far->process, NULL, 0);
    tpi_folder_remove(far->folder);
}

int main(void)
{
    struct far far = {0};
    int result = 1;

    (void)setenv("TROUPE_ROBOT_PATH", TEST_ROOT "/robots", 1); /* classes.xml */
    if (begin(&far)) {
        result = driver_suite_run(drivers, sizeof drivers / sizeof drivers[0], no_sections);
    }
    end(&far);
    return result;
}
