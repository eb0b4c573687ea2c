/* The plan of Troupe.Uno.Light.1; made from its manifest. */
/* clang-format off */
#include "firmware_plan.h"

static const double numbers_0_0[] = {0};
static const double numbers_0_1[] = {0, 100, 200, 100, 900, 0, 1023, 0, 0};
static const tpi_sensor_conversion conversions_0[] = {
    {.scaling = {.function = 0, .numbers = numbers_0_0, .count = 0, .low = 0, .high = 1023,
     .raw_step = 1, .min = 0, .max = 1023, .resolution = 1, .uncertainty = -1},
     .places = 0},
    {.scaling = {.function = 1, .numbers = numbers_0_1, .count = 8, .low = 0, .high = 1023,
     .raw_step = 1, .min = 0, .max = 100, .resolution = 1, .uncertainty = 0.143},
     .places = 0},
};
static const tpi_sensor_mode modes_0[] = {
    {.min = 1, .max = 2, .start = 1, .is_state = 1, .places = 0},
    {.min = 0}, /* the end */
};
static const tpi_sensor_channel channels[] = {
    {.number = 1, .kind = 0, .conversion_count = 2, .conversion_start = 0, .mode_count = 1,
     .conversions = conversions_0, .modes = modes_0, .min_period_us = 500, .trig_delay_us = 0},
};
const char tpi_sensor_firmware_manifest[] TPI_SENSOR_FLASH =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><sensor lang=\"English\"><identity><name>Uno Light Sensor</n"
    "ame><uuid>Troupe.Uno.Light.1</uuid><version>1</version><hardware><num_chans>1</num_chans><timeou"
    "t>1000</timeout></hardware><manufacturer><name>Troupe</name><serial_no>1</serial_no></manufactur"
    "er></identity><transducers><transducer index=\"1\"><chan_num>1</chan_num><chan_type>sensor</chan_t"
    "ype><desc><name>Light Sensor</name><parameter>Brightness</parameter><documentation>Measures ligh"
    "t received at sensor diode, with option to turn on floodlight. Higher Scaled values indicate a g"
    "reater amount of light sensed, while higher Raw values indicate less light sensed.</documentatio"
    "n></desc><conversions><conversion index=\"1\"><units><type>raw</type><label>Raw</label></units><me"
    "thod><function>none</function></method><scale><min>0</min><max>1023</max><resolution>1</resoluti"
    "on></scale><data_model><datatype>uint16</datatype><sample_size>1</sample_size></data_model></con"
    "version><conversion index=\"2\"><units><type>percent</type><label>Light</label></units><method><fu"
    "nction>piecewise_lin</function><parameters><coord>0 100</coord><coord>200 100</coord><coord>900 "
    "0</coord><coord>1023 0</coord></parameters></method><scale><min>0</min><max>100</max><resolution"
    ">1</resolution><uncertainty>0.143</uncertainty></scale><data_model><datatype>uint16</datatype><s"
    "ample_size>1</sample_size></data_model></conversion></conversions><modes><mode index=\"1\"><type>s"
    "tate</type><name>Floodlight</name><states><option index=\"1\">On</option><option index=\"2\">Off</op"
    "tion></states></mode></modes><capabilities><min_period>0.5</min_period><trig_delay>0</trig_delay"
    "></capabilities></transducer></transducers><datalogging><max_datasize>512</max_datasize><time_so"
    "urce>device</time_source><modes></modes></datalogging><defaults><channel>1</channel><conversion "
    "channel=\"1\">1</conversion><mode channel=\"1\" index=\"1\">1</mode></defaults></sensor>";
const tpi_sensor_plan tpi_sensor_firmware_plan = {
    .channels = channels, .channel_count = 1, .default_channel = 1,
    .manifest_length = sizeof tpi_sensor_firmware_manifest - 1};
