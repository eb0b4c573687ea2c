/* param.c - parameters of an instance: what the configuration says, or the driver's fallback. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "device/inside.h"

static const tpi_setting *find_setting(const tp_instance *self, const char *name)
{
    for (uint32_t i = 0; i < self->plan.setting_count; i++) {
        if (strcmp(self->plan.settings[i].name, name) == 0) {
            return &self->plan.settings[i];
        }
    }
    return NULL;
}

static const char *find_fallback(const tp_instance *self, const char *name)
{
    const tp_param *param = self->plan.driver->params;

    for (; param != NULL && param->name != NULL; param++) {
        if (strcmp(param->name, name) == 0) {
            return param->fallback == NULL ? "" : param->fallback;
        }
    }
    return "";
}

static double number_of(const char *text)
{
    double value = 0;

    if (strcmp(text, "yes") == 0 || strcmp(text, "true") == 0) {
        return 1;
    }
    return tpi_number_read_f64(text, strlen(text), &value) > 0 ? value : 0;
}

bool tp_param_given(const tp_instance *self, const char *name)
{
    return find_setting(self, name) != NULL;
}

size_t tp_param_count(const tp_instance *self, const char *name)
{
    const tpi_setting *setting = find_setting(self, name);

    if (setting != NULL) {
        return setting->value_count;
    }
    return find_fallback(self, name)[0] == '\0' ? 0 : 1;
}

const char *tp_param_string_at(const tp_instance *self, const char *name, size_t i)
{
    const tpi_setting *setting = find_setting(self, name);

    if (setting == NULL) {
        return i == 0 ? find_fallback(self, name) : "";
    }
    return i < setting->value_count ? setting->values[i].text : "";
}

double tp_param_double_at(const tp_instance *self, const char *name, size_t i)
{
    const tpi_setting *setting = find_setting(self, name);

    if (setting == NULL) {
        return i == 0 ? number_of(find_fallback(self, name)) : 0;
    }
    if (i >= setting->value_count) {
        return 0;
    }
    const tpi_setting_value *value = &setting->values[i];
    return (isnan(value->number) ? number_of(value->text) : value->number) * setting->scale;
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
