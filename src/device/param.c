/* param.c - parameters of an instance; see troupe/driver.h. */
#include "device/inside.h"
#include "device/params.h"

tp_status tpi_params_prepare(tp_instance *self, tp_error *err)
{
    const tp_status status = tpi_params_cut(&self->arena, self->blueprint.driver->params,
                                            &self->fallbacks.all, &self->fallbacks.count);

    return status == TP_OK ? TP_OK : tp_fail(err, status, "out of memory");
}

const tpi_setting *tpi_param_fallback(const tp_instance *self, const char *name)
{
    return tpi_params_setting(self->fallbacks.all, self->fallbacks.count, name);
}

static tpi_params params_of(const tp_instance *self)
{
    return (tpi_params){self->blueprint.settings, self->blueprint.setting_count,
                        self->fallbacks.all, self->fallbacks.count};
}

bool tp_param_given(const tp_instance *self, const char *name)
{
    const tpi_params params = params_of(self);

    return tpi_params_given(&params, name);
}

size_t tp_param_count(const tp_instance *self, const char *name)
{
    const tpi_params params = params_of(self);

    return tpi_params_count(&params, name);
}

const char *tp_param_string_at(const tp_instance *self, const char *name, size_t i)
{
    const tpi_params params = params_of(self);

    return tpi_params_text(&params, name, i);
}

double tp_param_double_at(const tp_instance *self, const char *name, size_t i)
{
    const tpi_params params = params_of(self);

    return tpi_params_number(&params, name, i);
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
    const tpi_params params = params_of(self);

    return tpi_params_whole(&params, name);
}

bool tp_param_bool(const tp_instance *self, const char *name)
{
    return tp_param_double_at(self, name, 0) != 0;
}
