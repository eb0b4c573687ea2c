/*
 * drivers_test.c - every driver passes the suite; a new one gets a line here, or in
 * hardware_sections.c if it has a line to hardware.
 *
 * `remote` plays on a server that runs beside, in a process of its own. `isolated`
 * is made by the server only, and shown by tests/system/60-servers-together.py.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/hardware_sections.h"
#include "platform/folder.h"
#include "troupe/server.h"

extern const tp_driver tp_driver_amcl;
extern const tp_driver tp_driver_cmdsplitter;
extern const tp_driver tp_driver_inhibitor;
extern const tp_driver tp_driver_laserposeinterpolator;
extern const tp_driver tp_driver_laserrescan;
extern const tp_driver tp_driver_suppressor;
extern const tp_driver tp_driver_velcmd;
extern const tp_driver tp_driver_cspace;
extern const tp_driver tp_driver_dummy;
extern const tp_driver tp_driver_fake;
extern const tp_driver tp_driver_fakelocalize;
extern const tp_driver tp_driver_inhibit;
extern const tp_driver tp_driver_lasertoranger;
extern const tp_driver tp_driver_differential;
extern const tp_driver tp_driver_mapfile;
extern const tp_driver tp_driver_cameracompress;
extern const tp_driver tp_driver_searchpattern;
extern const tp_driver tp_driver_camerauncompress;
extern const tp_driver tp_driver_diodelay;
extern const tp_driver tp_driver_bitlogic;
extern const tp_driver tp_driver_blobtodio;
extern const tp_driver tp_driver_gridmap;
extern const tp_driver tp_driver_gripcmd;
extern const tp_driver tp_driver_rangertodio;
extern const tp_driver tp_driver_laserptzcloud;
extern const tp_driver tp_driver_mapcspace;
extern const tp_driver tp_driver_mapscale;
extern const tp_driver tp_driver_mapper;
extern const tp_driver tp_driver_mbicp;
extern const tp_driver tp_driver_log;
extern const tp_driver tp_driver_mobile;
extern const tp_driver tp_driver_motion;
extern const tp_driver tp_driver_nd;
extern const tp_driver tp_driver_snd;
extern const tp_driver tp_driver_passthrough;
extern const tp_driver tp_driver_program;
extern const tp_driver tp_driver_rangertolaser;
extern const tp_driver tp_driver_readlog;
extern const tp_driver tp_driver_relay;
extern const tp_driver tp_driver_remote;
extern const tp_driver tp_driver_sim;
extern const tp_driver tp_driver_stage;
extern const tp_driver tp_driver_localbb;
extern const tp_driver tp_driver_switch;
extern const tp_driver tp_driver_vfh;
extern const tp_driver tp_driver_wavefront;
extern const tp_driver tp_driver_writelog;

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
static const char *const bad_passes[] = {"timeout=0",   "timeout=-1", "timeout=soon",
                                         "timeout=nan", "rate=-1",    "rate=1e300",
                                         "rate=1e-300", "access=x",   NULL};
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
static const char *const bad_compressions[] = {"image_quality=0", "image_quality=2", "save=1",
                                               NULL};
static const char *const bad_expansions[] = {"save=1", NULL};
static const char *const bad_delays[] = {"init_state=2", "wait_on_0=-1", "wait_on_1=-1",
                                         "fade_out=-2", NULL};
static const char *const bad_logics[] = {"function=imply", "function=or slots=0",
                                         "function=or slots=17", "function=or init_bits=12", NULL};
#define GRIDMAP "width=20 height=10 "
static const char *const bad_gridmaps[] = {"width=20",
                                           "width=20000 height=20000",
                                           GRIDMAP "scale=0",
                                           GRIDMAP "sonartreshold=0",
                                           GRIDMAP "maptreshold=-1",
                                           GRIDMAP "startx=1e9",
                                           NULL};
static const char *const bad_grips[] = {"cmd=shake", "sleep_nsec=0", NULL};
static const char *const bad_ranger_bits[] = {
    "bits=0", "bits=33", "threshold=0", "start_idx=-1", "start_idx=3 end_idx=2", NULL};
static const char *const bad_blob_bits[] = {"threshold=1", "color[0]=1,2", "color[0]=1,2,256",
                                            "color[0]=1,2,3 threshold=0", NULL};
static const char *const bad_clouds[] = {"max_scans=0", "max_distance=0", "min_distance=-1", NULL};
static const char *const bad_cspaces[] = {"robot_radius=0", "robot_radius=1 robot_shape=square",
                                          "robot_radius=nan", NULL};
static const char *const bad_scales[] = {"resolution=0", "resolution=-1", "resolution=fine", NULL};
#define PATTERN "patterns=(0xff0000(black(white)))"
static const char *const bad_searches[] = {"patterns=black", PATTERN " threshold=256",
                                           PATTERN " min_blob_pixels=0", NULL};
static const char *const bad_mbicps[] = {"L=0", "filter=2", "MaxIter=nan", NULL};
static const char *const bad_mappers[] = {"resolution=0",
                                          "resolution=nan",
                                          "filename=map.png",
                                          "filename=.yaml",
                                          "save_every=-1",
                                          "range_max=0",
                                          "update_thresh=1",
                                          "update_thresh=-1,1",
                                          "init_pose=1,2",
                                          "match_reach=0,0",
                                          "match_beams=3",
                                          "most_cells=1e300",
                                          NULL};
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
static const char *const bad_logs[] = {
    "filename=/dev/null form=xml",      "filename=/dev/null compression=zip",
    "filename=/dev/null max_size=0",    "filename=/dev/null max_files=0",
    "filename=/dev/null max_files=1.5", NULL};
#define PLAYED "filename=" TEST_ROOT "/tests/data/log/player.log"
static const char *const bad_readlogs[] = {"filename=/no/such.log", PLAYED " speed=-1",
                                           PLAYED " speed=1e300", NULL};
static const char *const bad_splitters[] = {"devices=0", "devices=99", NULL};
static const char *const bad_inhibitors[] = {"bitmask=", "bitmask=2", "msg_interval=-1", NULL};
static const char *const bad_posers[] = {"max_scans=0", "update_thresh=1", NULL};
static const char *const bad_rescans[] = {"scan_count=1", "min_angle=2 max_angle=1", NULL};
static const char *const bad_suppressors[] = {"fadeout_time=-1", "fadeout_time=1e9", NULL};
static const char *const bad_velcmds[] = {"px=1e9", "sleep_nsec=0", "first_idx=-1", NULL};
static const char *const bad_snds[] = {"robot_radius=0", "max_speed=-1", "min_gap_width=-1", NULL};
static const char *const bad_nds[] = {"goal_tol=1",  "max_speed=-1,1", "avoid_dist=-1",
                                      "outline=1,2", "timeout=0",      NULL};
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
static const char *const bad_programs[] = {"file=/no/such.play", "file=" TEST_ROOT "/README.md",
                                           "retry=-1",           "rate=0",
                                           "rate=1e9",           "settle=0",
                                           "settle=nan",         NULL};
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
static const char *const bad_differentials[] = {"axis_length=0", "axis_length=11", NULL};
static const char *const bad_switches[] = {"mode=x", "source=2", "timeout=0", "timeout=nan", NULL};

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
        .follows_clock = true,
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
        .section = {&tp_driver_searchpattern, "blobfinder:10", "camera:0", PATTERN},
        .behind = "camera:0",
        .foreign = "sonar:0",
        .bad_settings = bad_searches,
    },
    {
        .section = {&tp_driver_cameracompress, "camera:10", "camera:0", NULL},
        .behind = "camera:0",
        .foreign = "sonar:0",
        .bad_settings = bad_compressions,
    },
    {
        .section = {&tp_driver_camerauncompress, "camera:10", "camera:0", NULL},
        .behind = "camera:0",
        .foreign = "sonar:0",
        .bad_settings = bad_expansions,
    },
    {
        .section = {&tp_driver_diodelay, "dio:10", NULL, NULL},
        .foreign = "sonar:0",
        .bad_settings = bad_delays,
    },
    {
        .section = {&tp_driver_bitlogic, "0@dio:10 1@dio:11", NULL, "function=or slots=2"},
        .foreign = "sonar:0",
        .bad_settings = bad_logics,
    },
    {
        .section = {&tp_driver_gridmap, "map:10", "position2d:0 sonar:0", "width=20 height=10"},
        .behind = "position2d:0 sonar:0",
        .foreign = "sonar:0",
        .bad_settings = bad_gridmaps,
    },
    {
        .section = {&tp_driver_gripcmd, "opaque:10", "gripper:0", NULL},
        .behind = "gripper:0",
        .foreign = "sonar:0",
        .bad_settings = bad_grips,
        .quiet = "opaque",
    },
    {
        .section = {&tp_driver_rangertodio, "dio:10", "ranger:0", "bits=2"},
        .behind = "ranger:0",
        .foreign = "sonar:0",
        .bad_settings = bad_ranger_bits,
    },
    {
        .section = {&tp_driver_blobtodio, "dio:10", "blobfinder:0", "color[0]=255,0,0"},
        .behind = "blobfinder:0",
        .foreign = "sonar:0",
        .bad_settings = bad_blob_bits,
    },
    {
        .section = {&tp_driver_laserptzcloud, "pointcloud3d:10", "laser:0 ptz:0", NULL},
        .behind = "laser:0 ptz:0",
        .foreign = "sonar:0",
        .bad_settings = bad_clouds,
    },
    {
        .section = {&tp_driver_mapcspace, "map:10", "map:0", "robot_radius=0.3"},
        .behind = "map:0",
        .foreign = "sonar:0",
        .bad_settings = bad_cspaces,
        .quiet = "map",
    },
    {
        .section = {&tp_driver_mapscale, "map:10", "map:0", "resolution=0.2"},
        .behind = "map:0",
        .foreign = "sonar:0",
        .bad_settings = bad_scales,
        .quiet = "map",
    },
    {
        .section = {&tp_driver_mbicp, "position2d:10", "position2d:0 laser:0", NULL},
        .behind = "position2d:0 laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_mbicps,
    },
    {
        .section = {&tp_driver_mapper, "map:10 position2d:10", "position2d:0 laser:0", NULL},
        .behind = "position2d:0 laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_mappers,
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
        .section = {&tp_driver_cmdsplitter, "position2d:10", "0@position2d:0 1@position2d:1",
                    "devices=2"},
        .behind = "position2d:0 position2d:1",
        .bad_settings = bad_splitters,
    },
    {
        .section = {&tp_driver_inhibitor, "switch@dio:10 comm@position2d:10", "comm@position2d:0",
                    "bitmask=111"},
        .behind = "position2d:0",
        .bad_settings = bad_inhibitors,
    },
    {
        .section = {&tp_driver_laserposeinterpolator, "laser:10", "laser:0 position2d:0", NULL},
        .behind = "laser:0 position2d:0",
        .foreign = "sonar:0",
        .bad_settings = bad_posers,
        .quiet = "laser",
    },
    {
        .section = {&tp_driver_laserrescan, "laser:10", "laser:0", NULL},
        .behind = "laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_rescans,
    },
    {
        .section = {&tp_driver_suppressor, "master@position2d:10 slave@position2d:11",
                    "position2d:0", "fadeout_time=0.3"},
        .behind = "position2d:0",
        .bad_settings = bad_suppressors,
    },
    {
        .section = {&tp_driver_velcmd, "opaque:10", "position2d:0", "px=0.1"},
        .behind = "position2d:0",
        .foreign = "sonar:0",
        .bad_settings = bad_velcmds,
        .quiet = "opaque",
    },
    {
        .section = {&tp_driver_nd, "position2d:10",
                    "input@position2d:0 output@position2d:1 laser:0", NULL},
        .behind = "position2d:0 position2d:1 laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_nds,
    },
    {
        .section = {&tp_driver_snd, "position2d:10",
                    "input@position2d:0 output@position2d:1 laser:0", NULL},
        .behind = "position2d:0 position2d:1 laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_snds,
    },
    {
        .section = {&tp_driver_wavefront, "planner:10", "position2d:0 map:0 laser:0", NULL},
        .behind = "position2d:0 map:0 laser:0",
        .foreign = "sonar:0",
        .bad_settings = bad_wavefronts,
    },
    {
        .section = {&tp_driver_log, "log:10", "laser:0 position2d:0",
                    "filename=/dev/null autorecord=0"},
        .behind = "laser:0 position2d:0",
        .foreign = "sonar:0",
        .bad_settings = bad_logs,
        .quiet = "log",
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
        .section = {&tp_driver_differential, "position2d:10",
                    "left@position1d:0 right@position1d:1", NULL},
        .behind = "position1d:0 position1d:1",
        .foreign = "sonar:0",
        .bad_settings = bad_differentials,
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
        .section = {&tp_driver_readlog, "laser:0 position2d:0 sonar:0 log:0", NULL,
                    PLAYED " autorewind=1 speed=10"},
        .foreign = "gripper:0",
        .bad_settings = bad_readlogs,
        .quiet = "log",
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
        .section = {&tp_driver_sim, MODELS, NULL, EVERYWHERE},
        .foreign = "health:0",
        .follows_clock = true,
        .bad_settings = bad_sims,
    },
    {
        .section = {&tp_driver_sim, GALLERY_MODELS, NULL, GALLERY},
        .foreign = "health:0",
        .follows_clock = true,
        .bad_settings = bad_sims,
    },
    {
        .section = {&tp_driver_stage, "simulation:0 position2d:0 ranger:0", NULL,
                    YARD " speed=10 threads=2"},
        .foreign = "health:0",
        .follows_clock = true,
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
        .section = {&tp_driver_writelog, "log:10", "laser:0 position2d:0", "filename=/dev/null"},
        .behind = "laser:0 position2d:0",
        .foreign = "sonar:0",
        .quiet = "log",
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

/* Those of hardware are in a file of their own. */
static int run_all(void)
{
    const size_t count = sizeof drivers / sizeof drivers[0];
    suite_driver *all = malloc((count + hardware_section_count) * sizeof *all);

    if (all == NULL) {
        return 1;
    }
    memcpy(all, drivers, sizeof drivers);
    memcpy(all + count, hardware_sections, hardware_section_count * sizeof *all);
    const int result = driver_suite_run(all, count + hardware_section_count, no_sections);
    free(all);
    return result;
}

int main(void)
{
    struct far far = {0};
    int result = 1;

    (void)setenv("TROUPE_ROBOT_PATH", TEST_ROOT "/robots", 1); /* classes.xml */
    if (begin(&far)) {
        result = run_all();
    }
    end(&far);
    return result;
}
