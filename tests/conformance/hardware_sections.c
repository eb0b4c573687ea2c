/*
 * hardware_sections.c - sections of the drivers that have a line to hardware: scripts and files
 * stand in for it. A new one gets a line here.
 */
#include "conformance/hardware_sections.h"

extern const tp_driver tp_driver_alsa;
extern const tp_driver tp_driver_camerauvc;
extern const tp_driver tp_driver_camerav4l2;
extern const tp_driver tp_driver_cvcam;
extern const tp_driver tp_driver_create;
extern const tp_driver tp_driver_erratic;
extern const tp_driver tp_driver_espeak;
extern const tp_driver tp_driver_festival;
extern const tp_driver tp_driver_linuxjoystick;
extern const tp_driver tp_driver_linuxwifi;
extern const tp_driver tp_driver_nxt;
extern const tp_driver tp_driver_amtecM5;
extern const tp_driver tp_driver_mbasedriver;
extern const tp_driver tp_driver_nomad_driver;
extern const tp_driver tp_driver_obot;
extern const tp_driver tp_driver_phidgetIFK;
extern const tp_driver tp_driver_phidgetRFID;
extern const tp_driver tp_driver_reb;
extern const tp_driver tp_driver_segwayrmp;
extern const tp_driver tp_driver_wbr914;
extern const tp_driver tp_driver_rflex;
extern const tp_driver tp_driver_rs4leuze;
extern const tp_driver tp_driver_sicklms400;
extern const tp_driver tp_driver_iwspy;
extern const tp_driver tp_driver_mavlink;
extern const tp_driver tp_driver_garminnmea;
extern const tp_driver tp_driver_gps;
extern const tp_driver tp_driver_p2os;
extern const tp_driver tp_driver_p2os_position;
extern const tp_driver tp_driver_robotfile;
extern const tp_driver tp_driver_sensor;
extern const tp_driver tp_driver_roomba;
extern const tp_driver tp_driver_service_adv_mdns;
extern const tp_driver tp_driver_sicklms200;
extern const tp_driver tp_driver_sonyevid30;
extern const tp_driver tp_driver_sphere;
extern const tp_driver tp_driver_urglaser;
extern const tp_driver tp_driver_hokuyo_aist;
extern const tp_driver tp_driver_urg; /* the example of a plug-in */

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
static const char *const bad_sensors[] = {
    "port=sensor:" TEST_ROOT "/sensors/simulated.xml rate=0",
    "port=sensor:" TEST_ROOT "/sensors/simulated.xml rate=nan",
    "port=sensor:" TEST_ROOT "/sensors/simulated.xml rate=1001", NULL};
static const char *const bad_joysticks[] = {"axes=99", "axes_maxima=0", "deadman=40", "timeout=-1",
                                            NULL};
#define SPEECH "line=script:" TEST_ROOT "/tests/data/universal/mute.script"
static const char *const bad_speeches[] = {SPEECH " queuelen=0", SPEECH " queuelen=65", NULL};
#define WIFI "file=" TEST_ROOT "/drivers/classic/wireless.txt"
static const char *const bad_wifis[] = {WIFI " rate=0", NULL};
#define NXT "port=script:" TEST_ROOT "/drivers/classic/nxt.script"
static const char *const bad_nxts[] = {NXT " max_power=0", NXT " period=0", NXT " timeout=0", NULL};
#define IWSPY "port=script:" TEST_ROOT "/tests/data/universal/mute.script"
static const char *const bad_iwspies[] = {IWSPY " rate=0", IWSPY " rate=nan", NULL};
#define ERRATIC "port=script:" TEST_ROOT "/drivers/classic/erratic.script"
static const char *const bad_erratics[] = {ERRATIC " max_trans_vel=9", ERRATIC " timeout=0", NULL};
#define AMTEC "module_ids=1 port=script:" TEST_ROOT "/drivers/classic/amtecM5.script"
static const char *const bad_amtecs[] = {AMTEC " timeout=0", AMTEC " directions=2", NULL};
#define MBASE "port=script:" TEST_ROOT "/drivers/classic/mbase.script"
static const char *const bad_mbases[] = {MBASE " tipoMBase=6", MBASE " pid_p=-1", NULL};
#define REB "port=script:" TEST_ROOT "/drivers/classic/reb.script"
static const char *const bad_rebs[] = {REB " subclass=middle", REB " max_speed=9", NULL};
#define SEGWAY "port=script:" TEST_ROOT "/drivers/classic/segwayrmp.script"
static const char *const bad_segways[] = {SEGWAY " bus=serial", SEGWAY " max_xspeed=9", NULL};
#define WBR914 "port=script:" TEST_ROOT "/drivers/classic/wbr914.script"
static const char *const bad_wbrs[] = {WBR914 " torque=10", WBR914 " max_speed=9", NULL};
#define NOMAD "line=script:" TEST_ROOT "/drivers/classic/nomad.script"
static const char *const bad_nomads[] = {NOMAD " REAL_ROBOT=2", NOMAD " timeout=0", NOMAD " PORT=0",
                                         NULL};
#define KIT                                                                                        \
    "port=script:" TEST_ROOT "/drivers/phidget/board.script lcd=script:" TEST_ROOT                 \
    "/tests/data/universal/mute.script"
static const char *const bad_kits[] = {KIT " samplingrate=0", KIT " samplingrate=nan", NULL};
#define OBOT "port=script:" TEST_ROOT "/drivers/classic/obot.script"
static const char *const bad_obots[] = {OBOT " max_speed=9", OBOT " timeout=0", NULL};
#define RFLEX "rflex_serial_port=script:" TEST_ROOT "/drivers/classic/rflex.script"
static const char *const bad_rflexes[] = {RFLEX " num_sonars=300", RFLEX " timeout=0", NULL};
static const char *const bad_leuzes[] = {"scan_points=200", "timeout=0", "min_angle=1 max_angle=0",
                                         NULL};
#define LMS400 "line=script:" TEST_ROOT "/drivers/classic/lms400.script"
static const char *const bad_lms400s[] = {LMS400 " angular_resolution=5", LMS400 " port=0", NULL};
#define GPS "port=script:" TEST_ROOT "/tests/data/universal/mute.script"
static const char *const bad_readers[] = {GPS " samplingrate=0", GPS " samplingrate=nan", NULL};
#define CAMERA GPS " timeout=3600"
static const char *const bad_cameras[] = {GPS " mode=PNG", GPS " size=1,1", GPS " timeout=0", NULL};
#define MAVLINK "port=script:" TEST_ROOT "/drivers/mavlink/patient.script"
static const char *const bad_mavlinks[] = {MAVLINK " baud=1", MAVLINK " rate=0",
                                           MAVLINK " system=-1", MAVLINK " timeout=0", NULL};
#define P2OS "port=script:" TEST_ROOT "/drivers/p2os/patient.script"
static const char *const bad_p2os[] = {
    P2OS " max_xspeed=9", P2OS " pulse=2",           P2OS " bumpstall=4", P2OS " model=tricycle",
    P2OS " baud=1",       P2OS " tcp_remote_port=0", P2OS " timeout=0",   NULL};
#define SICK "port=script:" TEST_ROOT "/drivers/sicklms200/patient.script"
static const char *const bad_sicks[] = {SICK " resolution=30",   SICK " range_res=2",
                                        SICK " connect_rate=17", SICK " transfer_rate=115200",
                                        SICK " timeout=0",       NULL};
#define SONY "port=script:" TEST_ROOT "/drivers/sonyevid30/patient.script"
static const char *const bad_sonys[] = {SONY " baud=1", SONY " timeout=0", SONY " fov=0.5,0.1",
                                        NULL};
static const char *const bad_gps[] = {GPS " baud=1", GPS " timeout=0", NULL};
#define URG "port=script:" TEST_ROOT "/examples/driver-out-of-tree/fast.script continuous=no"
static const char *const bad_urgs[] = {
    URG " baud=1",    URG " cluster=0",   URG " min_angle=1 max_angle=0",
    URG " timeout=0", URG " timeout=1e9", NULL};

#define SPHERE "port=script:" TEST_ROOT "/drivers/sphere/sphere.script"
static const char *const bad_spheres[] = {SPHERE " timeout=0", SPHERE " sharpness=70000",
                                          SPHERE " mode=PNG", NULL};
#define ADVERTISED "interface=127.0.0.1 group=224.0.0.251:45353"
static const char *const bad_services[] = {"group=127.0.0.1:5353", "group=224.0.0.251:0",
                                           "group=nowhere",        "service_port=65536",
                                           "service_port=-1",      NULL};

const suite_driver hardware_sections[] = {
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
        .section = {&tp_driver_linuxjoystick, "joystick:0", NULL, GPS},
        .foreign = "sonar:0",
        .bad_settings = bad_joysticks,
        .quiet = "joystick",
    },
    {
        .section = {&tp_driver_espeak, "speech:0", NULL, SPEECH},
        .foreign = "sonar:0",
        .bad_settings = bad_speeches,
    },
    {
        .section = {&tp_driver_festival, "speech:0", NULL, SPEECH},
        .foreign = "sonar:0",
        .bad_settings = bad_speeches,
    },
    {
        .section = {&tp_driver_linuxwifi, "wifi:0", NULL, WIFI " rate=100"},
        .foreign = "sonar:0",
        .bad_settings = bad_wifis,
    },
    {
        .section = {&tp_driver_iwspy, "wifi:0", NULL, IWSPY " rate=100"},
        .foreign = "sonar:0",
        .bad_settings = bad_iwspies,
        .quiet = "wifi",
    },
    {
        .section = {&tp_driver_nxt, "A@position1d:0 B@position1d:1 power:0", NULL,
                    NXT " timeout=3600"},
        .foreign = "sonar:0",
        .bad_settings = bad_nxts,
        .quiet = "position1d power",
    },
    {
        .section = {&tp_driver_erratic, "position2d:0 power:0 aio:0 ir:0 sonar:0 ptz:0 tilt@ptz:1",
                    NULL, ERRATIC " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_erratics,
        .quiet = "position2d power aio ir sonar ptz",
    },
    {
        .section = {&tp_driver_nomad_driver,
                    "position2d:0 bumper:0 sonar:0 ir:0 turret@position1d:0 compass@position1d:1",
                    NULL, NOMAD " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_nomads,
        .quiet = "position2d bumper sonar ir position1d",
    },
    {
        .section = {&tp_driver_phidgetIFK, "aio:0 dio:0 speech:0", NULL, KIT},
        .foreign = "laser:0",
        .bad_settings = bad_kits,
    },
    {
        .section = {&tp_driver_phidgetRFID, "rfid:0 dio:0", NULL, GPS},
        .foreign = "laser:0",
        .bad_settings = bad_readers,
    },
    {
        .section = {&tp_driver_obot, "position2d:0 power:0", NULL, OBOT " timeout=3600"},
        .foreign = "sonar:0",
        .bad_settings = bad_obots,
        .quiet = "position2d power",
    },
    {
        .section = {&tp_driver_mbasedriver, "position2d:0 power:0 aio:0 ir:0 sonar:0", NULL,
                    MBASE " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_mbases,
        .quiet = "position2d power aio ir sonar",
    },
    {
        .section = {&tp_driver_reb, "position2d:0 power:0 ir:0", NULL, REB " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_rebs,
        .quiet = "position2d power ir",
    },
    {
        .section = {&tp_driver_amtecM5, "actarray:0", NULL, AMTEC " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_amtecs,
        .quiet = "actarray",
    },
    {
        .section = {&tp_driver_segwayrmp, "position2d:0 position3d:0 power:0 ui@power:1", NULL,
                    SEGWAY " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_segways,
        .quiet = "position2d position3d power",
    },
    {
        .section = {&tp_driver_wbr914, "position2d:0 ir:0 aio:0 dio:0", NULL,
                    WBR914 " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_wbrs,
        .quiet = "position2d ir aio dio",
    },
    {
        .section = {&tp_driver_rflex, "position2d:0 sonar:0 bank2@sonar:1 bumper:0 power:0 ir:0",
                    NULL, RFLEX " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_rflexes,
        .quiet = "position2d sonar bumper power ir",
    },
    {
        .section = {&tp_driver_rs4leuze, "laser:0", NULL, GPS " timeout=3600"},
        .foreign = "sonar:0",
        .bad_settings = bad_leuzes,
        .quiet = "laser",
    },
    {
        .section = {&tp_driver_sicklms400, "laser:0", NULL, LMS400 " timeout=3600"},
        .foreign = "sonar:0",
        .bad_settings = bad_lms400s,
        .quiet = "laser",
    },
    {
        .section = {&tp_driver_camerav4l2, "camera:0", NULL, CAMERA},
        .foreign = "sonar:0",
        .bad_settings = bad_cameras,
        .quiet = "camera",
    },
    {
        .section = {&tp_driver_camerauvc, "camera:0", NULL, CAMERA},
        .foreign = "sonar:0",
        .bad_settings = bad_cameras,
        .quiet = "camera",
    },
    {
        .section = {&tp_driver_cvcam, "camera:0", NULL, CAMERA},
        .foreign = "sonar:0",
        .bad_settings = bad_cameras,
        .quiet = "camera",
    },
    {
        .section = {&tp_driver_alsa, "audio:0", NULL,
                    "playline=script:" TEST_ROOT "/tests/data/universal/mute.script"},
        .foreign = "sonar:0",
    },
    {
        .section = {&tp_driver_mavlink, "position2d:0 position3d:0 gps:0 imu:0 power:0", NULL,
                    MAVLINK " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_mavlinks,
        .quiet = "position2d position3d gps imu power",
    },
    {
        .section = {&tp_driver_p2os_position, "position2d:0 sonar:0", NULL, P2OS " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_p2os,
        .quiet = "position2d sonar",
    },
    {
        .section = {&tp_driver_p2os,
                    "position2d:0 sonar:0 bumper:0 power:0 gripper:0 aio:0 dio:0 "
                    "blobfinder:0 audio:0",
                    NULL, P2OS " timeout=3600"},
        .foreign = "laser:0",
        .bad_settings = bad_p2os,
        .quiet = "position2d sonar bumper power gripper aio dio blobfinder audio",
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
        .section = {&tp_driver_sensor, "aio:0 dio:0 power:0", NULL,
                    "port=sensor:" TEST_ROOT "/sensors/simulated.xml rate=1000"},
        .foreign = "gripper:0",
        .bad_settings = bad_sensors,
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
        .section = {&tp_driver_service_adv_mdns, "opaque:0", NULL, ADVERTISED},
        .foreign = "sonar:0",
        .bad_settings = bad_services,
        .quiet = "opaque",
        .stays_on = true,
    },
    {
        .section = {&tp_driver_sicklms200, "laser:0", NULL, SICK " timeout=3600"},
        .foreign = "sonar:0",
        .bad_settings = bad_sicks,
        .quiet = "laser",
    },
    {
        .section = {&tp_driver_sonyevid30, "ptz:0", NULL, SONY " timeout=3600"},
        .foreign = "sonar:0",
        .bad_settings = bad_sonys,
        .quiet = "ptz",
    },
    {
        .section = {&tp_driver_sphere, "camera:0 ptz:0", NULL, SPHERE " timeout=3600"},
        .foreign = "sonar:0",
        .bad_settings = bad_spheres,
        .quiet = "camera",
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

const size_t hardware_section_count = sizeof hardware_sections / sizeof hardware_sections[0];
