/*
 * param.c - parameters of an instance: what the configuration says, or the driver's fallback.
 *
 * Fallbacks are cut into values when the instance is made; from then on both look the same.
 */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "device/inside.h"

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

tp_status tpi_params_prepare(tp_instance *self, tp_error *err)
{
    const tp_param *params = self->plan.driver->params;
    uint32_t count = 0;

    while (params != NULL && params[count].name != NULL) {
        count++;
    }
    self->fallbacks.all = tpi_arena_array(&self->arena, count + 1, sizeof *self->fallbacks.all);
    tp_status status = self->fallbacks.all == NULL ? TP_E_NOMEM : TP_OK;
    for (uint32_t i = 0; i < count && status == TP_OK; i++) {
        const char *text = params[i].fallback == NULL ? "" : params[i].fallback;
        self->fallbacks.all[i].name = params[i].name;
        status = cut(&self->arena, text, &self->fallbacks.all[i]);
    }
    self->fallbacks.count = count;
    return status == TP_OK ? TP_OK : tp_fail(err, status, "out of memory");
}

/* ---- Reading --------------------------------------------------------------------------------- */

static const tpi_setting *find(const tpi_setting *settings, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(settings[i].name, name) == 0) {
            return &settings[i];
        }
    }
    return NULL;
}

const tpi_setting *tpi_param_fallback(const tp_instance *self, const char *name)
{
    return find(self->fallbacks.all, self->fallbacks.count, name);
}

/* One value; NULL if there are fewer. */
static const tpi_setting_value *find_value(const tp_instance *self, const char *name, size_t i)
{
    const tpi_setting *setting = find(self->plan.settings, self->plan.setting_count, name);

    setting = setting != NULL ? setting : tpi_param_fallback(self, name);
    return setting != NULL && i < setting->value_count ? &setting->values[i] : NULL;
}

bool tp_param_given(const tp_instance *self, const char *name)
{
    return find(self->plan.settings, self->plan.setting_count, name) != NULL;
}

size_t tp_param_count(const tp_instance *self, const char *name)
{
    size_t count = 0;

    while (find_value(self, name, count) != NULL) {
        count++;
    }
    return count;
}

const char *tp_param_string_at(const tp_instance *self, const char *name, size_t i)
{
    const tpi_setting_value *value = find_value(self, name, i);

    return value == NULL ? "" : value->text;
}

double tp_param_double_at(const tp_instance *self, const char *name, size_t i)
{
    const tpi_setting_value *value = find_value(self, name, i);

    if (value == NULL) {
        return 0;
    }
    return isnan(value->number) ? number_of(value->text) : value->number;
}

const char *tp_param_string(const tp_instance *self, const char *name)
{
    return tp_param_string_at(self, name, 0);
}

double tp_param_double(const tp_instance *self, const char *name)
{
    return tp_param_double_at(self, name, 0);
}

int64_t tp_param_int(const tp_instance *self, const char *name)
{
    const double value = tp_param_double_at(self, name, 0);

    return value >= -9007199254740992.0 && value <= 9007199254740992.0 ? (int64_t)value : 0;
}

bool tp_param_bool(const tp_instance *self, const char *name)
{
    return tp_param_double_at(self, name, 0) != 0;
}
