/* params.c - see params.h. */
#include "device/params.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* ---- Fallbacks ------------------------------------------------------------------------------- */

/* What a word stands for: a number, or yes and no. */
static double number_of(const char *text)
{
    double value = 0;

    if (strcmp(text, "yes") == 0 || strcmp(text, "true") == 0) {
        return 1;
    }
    return tpi_number_read_f64(text, strlen(text), &value) > 0 ? value : 0;
}

/* The next word, and where it begins; its length is 0 behind the last one. */
static size_t next_word(const char **text)
{
    *text += strspn(*text, " ");
    return strcspn(*text, " ");
}

static uint32_t count_words(const char *text)
{
    uint32_t count = 0;

    for (size_t length = next_word(&text); length > 0; length = next_word(&text)) {
        text += length;
        count++;
    }
    return count;
}

static tp_status cut(tpi_arena *arena, const char *text, tpi_setting *out)
{
    const uint32_t count = count_words(text);
    tpi_setting_value *values = tpi_arena_array(arena, count + 1, sizeof *values);

    if (values == NULL) {
        return TP_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        const size_t length = next_word(&text);
        values[i].text = tpi_arena_text(arena, text, length);
        if (values[i].text == NULL) {
            return TP_E_NOMEM;
        }
        values[i].number = number_of(values[i].text);
        text += length;
    }
    out->values = values;
    out->value_count = count;
    return TP_OK;
}

tp_status tpi_params_cut(tpi_arena *arena, const tp_param *declared, tpi_setting **out,
                         uint32_t *count)
{
    uint32_t most = 0;

    while (declared != NULL && declared[most].name != NULL) {
        most++;
    }
    tpi_setting *made = tpi_arena_array(arena, most + 1, sizeof *made);
    tp_status status = made == NULL ? TP_E_NOMEM : TP_OK;
    for (uint32_t i = 0; i < most && status == TP_OK; i++) {
        made[i].name = declared[i].name;
        status = cut(arena, declared[i].fallback == NULL ? "" : declared[i].fallback, &made[i]);
    }
    *out = made;
    *count = most;
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

const tpi_setting *tpi_params_setting(const tpi_setting *settings, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(settings[i].name, name) == 0) {
            return &settings[i];
        }
    }
    return NULL;
}

/* One value; NULL if there are fewer. */
static const tpi_setting_value *find_value(const tpi_params *params, const char *name, size_t i)
{
    const tpi_setting *setting = tpi_params_setting(params->given, params->given_count, name);

    setting = setting != NULL ? setting
                              : tpi_params_setting(params->defaults, params->default_count, name);
    return setting != NULL && i < setting->value_count ? &setting->values[i] : NULL;
}

bool tpi_params_given(const tpi_params *params, const char *name)
{
    return tpi_params_setting(params->given, params->given_count, name) != NULL;
}

size_t tpi_params_count(const tpi_params *params, const char *name)
{
    size_t count = 0;

    while (find_value(params, name, count) != NULL) {
        count++;
    }
    return count;
}

const char *tpi_params_text(const tpi_params *params, const char *name, size_t i)
{
    const tpi_setting_value *value = find_value(params, name, i);

    return value == NULL ? "" : value->text;
}

double tpi_params_number(const tpi_params *params, const char *name, size_t i)
{
    const tpi_setting_value *value = find_value(params, name, i);

    if (value == NULL) {
        return 0;
    }
    return isnan(value->number) ? number_of(value->text) : value->number;
}

int64_t tpi_params_whole(const tpi_params *params, const char *name)
{
    const double value = tpi_params_number(params, name, 0);

    return value >= -9007199254740992.0 && value <= 9007199254740992.0 ? (int64_t)value : 0;
}
