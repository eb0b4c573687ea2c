/* robot_manifest.c - devices of robot files that the manifest of a sensor defines; see robot.h. */
#include "universal/measure.h"
#include "universal/robot.h"

tp_status tpi_device_read_manifest(tpi_device *out, const tpi_robotfile *robot,
                                   const tpi_document *document, tpi_arena *arena,
                                   const tpi_element *element, const char **classes)
{
    const char *name = tpi_element_get(element, "manifest");
    tpi_channel_facts facts = {0};
    tpi_buf text = {0};
    double channel = -1;
    tp_error err = {0};
    tp_status status = tpi_element_number(document, element, "channel", 1, 99, -1, &channel);

    if (status != TP_OK || name == NULL) {
        return status != TP_OK || channel < 0
                   ? status
                   : tpi_element_fail(document, element, "channel belongs to manifest=\"...\"");
    }
    if (tpi_vocabulary_look(robot->vocabulary, name, (int)channel, document->path, &facts, &err) !=
        TP_OK) {
        return tpi_element_fail(document, element, "manifest=\"%.60s\": %s", name, err.text);
    }
    if (facts.measure.is_output || facts.measure.is_digital) {
        return tpi_element_fail(document, element,
                                "manifest=\"%.60s\": the channel is no sensor with numbers", name);
    }
    tpi_scaling *scaling = tpi_arena_array(arena, 1, sizeof *scaling);
    out->is_counted = tpi_measure_classes(&text, robot->vocabulary, &facts.measure, out->range);
    *classes = tpi_arena_text(arena, tpi_buf_text(&text), text.length);
    const bool failed = scaling == NULL || text.failed || *classes == NULL;
    tpi_buf_fini(&text);
    if (failed) {
        return tpi_document_no_memory(document);
    }
    *scaling = facts.scaling;
    out->scaling = scaling;
    return TP_OK;
}
