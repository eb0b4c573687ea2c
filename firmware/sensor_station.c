/* The plan of Troupe.Uno.Station.1; made from its manifest. */
/* clang-format off */
#include "firmware_plan.h"

static const double numbers_0_0[] = {0};
static const double numbers_0_1[] = {0, 100, 200, 100, 900, 0, 1023, 0, 0};
static const tpi_sensor_conversion conversions_0[] = {
    {.scaling = {.function = 0, .numbers = numbers_0_0, .count = 0, .low = 0, .high = 1023,
     .raw_step = 1, .min = 0, .max = 1023, .resolution = 1, .uncertainty = -1},
     .places = 0},
    {.scaling = {.function = 1, .numbers = numbers_0_1, .count = 8, .low = 0, .high = 1023,
     .raw_step = 1, .min = 0, .max = 100, .resolution = 1, .uncertainty = -1},
     .places = 0},
};
static const tpi_sensor_mode modes_0[] = {
    {.min = 1, .max = 2, .start = 2, .is_state = 1, .places = 0},
    {.min = 0}, /* the end */
};
static const double numbers_1_0[] = {0, 1023, 0};
static const tpi_sensor_conversion conversions_1[] = {
    {.scaling = {.function = 5, .numbers = numbers_1_0, .count = 2, .low = 0, .high = 1023,
     .raw_step = 1, .min = 0, .max = 5, .resolution = 0.01, .uncertainty = -1},
     .places = 2},
};
static const tpi_sensor_mode modes_1[] = {
    {.min = 0}, /* the end */
};
static const double numbers_2_0[] = {0};
static const tpi_sensor_conversion conversions_2[] = {
    {.scaling = {.function = 0, .numbers = numbers_2_0, .count = 0, .low = 0, .high = 1,
     .raw_step = 1, .min = 0, .max = 1, .resolution = 1, .uncertainty = -1},
     .places = 0},
};
static const tpi_sensor_mode modes_2[] = {
    {.min = 0}, /* the end */
};
static const double numbers_3_0[] = {0, 255, 0};
static const tpi_sensor_conversion conversions_3[] = {
    {.scaling = {.function = 5, .numbers = numbers_3_0, .count = 2, .low = 0, .high = 255,
     .raw_step = 1, .min = 0, .max = 100, .resolution = 1, .uncertainty = -1},
     .places = 0},
};
static const tpi_sensor_mode modes_3[] = {
    {.min = 0}, /* the end */
};
static const tpi_sensor_channel channels[] = {
    {.number = 1, .kind = 0, .conversion_count = 2, .conversion_start = 0, .mode_count = 1,
     .conversions = conversions_0, .modes = modes_0, .min_period_us = 1000, .trig_delay_us = 0},
    {.number = 2, .kind = 0, .conversion_count = 1, .conversion_start = 0, .mode_count = 0,
     .conversions = conversions_1, .modes = modes_1, .min_period_us = 1000, .trig_delay_us = 0},
    {.number = 3, .kind = 2, .conversion_count = 1, .conversion_start = 0, .mode_count = 0,
     .conversions = conversions_2, .modes = modes_2, .min_period_us = 1000, .trig_delay_us = 0},
    {.number = 4, .kind = 1, .conversion_count = 1, .conversion_start = 0, .mode_count = 0,
     .conversions = conversions_3, .modes = modes_3, .min_period_us = 1000, .trig_delay_us = 0},
};
const char tpi_sensor_firmware_manifest[] TPI_SENSOR_FLASH =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><sensor lang=\"English\"><identity><name>Uno Station</name><"
    "uuid>Troupe.Uno.Station.1</uuid><version>1</version><hardware><num_chans>4</num_chans><timeout>1"
    "000</timeout></hardware><manufacturer><name>Troupe</name><serial_no>1</serial_no></manufacturer>"
    "</identity><transducers><transducer index=\"1\"><chan_num>1</chan_num><chan_type>sensor</chan_type"
    "><desc><name>Light Sensor</name><parameter>Brightness</parameter><documentation>The light at A0."
    "</documentation></desc><conversions><conversion index=\"1\"><units><type>raw</type><label>Raw</lab"
    "el></units><method><function>none</function></method><scale><min>0</min><max>1023</max><resoluti"
    "on>1</resolution></scale><data_model><datatype>uint16</datatype><sample_size>1</sample_size></da"
    "ta_model></conversion><conversion index=\"2\"><units><type>percent</type><label>Light</label></uni"
    "ts><method><function>piecewise_lin</function><parameters><coord>0 100</coord><coord>200 100</coo"
    "rd><coord>900 0</coord><coord>1023 0</coord></parameters></method><scale><min>0</min><max>100</m"
    "ax><resolution>1</resolution></scale><data_model><datatype>uint16</datatype><sample_size>1</samp"
    "le_size></data_model></conversion></conversions><modes><mode index=\"1\"><type>state</type><name>F"
    "loodlight</name><states><option index=\"1\">On</option><option index=\"2\">Off</option></states></mo"
    "de></modes><capabilities><min_period>1</min_period><trig_delay>0</trig_delay></capabilities></tr"
    "ansducer><transducer index=\"2\"><chan_num>2</chan_num><chan_type>sensor</chan_type><desc><name>Vo"
    "ltage Sensor</name><parameter>Voltage</parameter><documentation>The voltage at A1.</documentatio"
    "n></desc><conversions><conversion index=\"1\"><units><type>si_product</type><label>Voltage</label>"
    "<si_units>V</si_units></units><method><function>normalize</function><parameters><coord>0</coord>"
    "<coord>1023</coord></parameters></method><scale><min>0</min><max>5</max><resolution>0.01</resolu"
    "tion></scale><data_model><datatype>float32</datatype><sample_size>1</sample_size></data_model></"
    "conversion></conversions><modes></modes><capabilities><min_period>1</min_period><trig_delay>0</t"
    "rig_delay></capabilities></transducer><transducer index=\"3\"><chan_num>3</chan_num><chan_type>eve"
    "nt_sensor</chan_type><desc><name>Touch Sensor</name><parameter>Touch</parameter><documentation>W"
    "hether the button at pin 2 is pressed.</documentation></desc><conversions><conversion index=\"1\">"
    "<units><type>digital</type><label>Button</label><states><option index=\"0\">Released</option><opti"
    "on index=\"1\">Pressed</option></states></units><method><function>none</function></method><scale><"
    "min>0</min><max>1</max><resolution>1</resolution></scale><data_model><datatype>bool</datatype><s"
    "ample_size>1</sample_size></data_model></conversion></conversions><modes></modes><capabilities><"
    "min_period>1</min_period><trig_delay>0</trig_delay></capabilities></transducer><transducer index"
    "=\"4\"><chan_num>4</chan_num><chan_type>actuator</chan_type><desc><name>LED</name><parameter>Brigh"
    "tness</parameter><documentation>The lamp at pin 6.</documentation></desc><conversions><conversio"
    "n index=\"1\"><units><type>percent</type><label>Lamp</label></units><method><function>normalize</f"
    "unction><parameters><coord>0</coord><coord>255</coord></parameters></method><scale><min>0</min><"
    "max>100</max><resolution>1</resolution></scale><data_model><datatype>uint8</datatype><sample_siz"
    "e>1</sample_size></data_model></conversion></conversions><modes></modes><capabilities><min_perio"
    "d>1</min_period><trig_delay>0</trig_delay></capabilities></transducer></transducers><datalogging"
    "><max_datasize>128</max_datasize><time_source>device</time_source><modes></modes></datalogging><"
    "defaults><channel>1</channel><conversion channel=\"1\">1</conversion><mode channel=\"1\" index=\"1\">2"
    "</mode><conversion channel=\"2\">1</conversion><conversion channel=\"3\">1</conversion><conversion c"
    "hannel=\"4\">1</conversion></defaults></sensor>";
const tpi_sensor_plan tpi_sensor_firmware_plan = {
    .channels = channels, .channel_count = 4, .default_channel = 1,
    .manifest_length = sizeof tpi_sensor_firmware_manifest - 1};
