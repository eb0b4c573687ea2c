/* padi_fuzz.c - parsing any text as an interface file; what is accepted is described and emitted.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "padi/gen/gen.h"

static const tp_interface *find(void *context, const char *name, tp_error *err)
{
    (void)context;
    const tp_interface *interface = tp_catalogue_named(fuzz_catalogue(), name);

    if (interface == NULL) {
        tp_fail(err, TP_E_UNKNOWN, "there is no %s", name);
    }
    return interface;
}

static void describe(const tp_interface *interface)
{
    static tp_status (*const describers[])(char **out, const tp_interface *interface) = {
        tp_interface_text, tp_interface_json, tp_interface_schema};

    for (size_t i = 0; i < sizeof describers / sizeof describers[0]; i++) {
        char *text = NULL;
        fuzz_require(describers[i](&text, interface) == TP_OK, "cannot describe");
        free(text);
    }
}

static void emit(const tpi_padi *padi)
{
    const char *prefixes[64] = {0};
    const gen_names names = {"", prefixes};
    tpi_buf out = {0};

    if (padi->interface.use_count > 64) {
        return;
    }
    for (uint32_t i = 0; i < padi->interface.use_count; i++) {
        prefixes[i] = "";
    }
    gen_header(&out, padi, &names);
    gen_source(&out, padi, &names);
    gen_client(&out, &padi->interface, &names);
    gen_page(&out, &padi->interface);
    gen_driver_header(&out, padi, &names);
    fuzz_require(!out.failed, "cannot emit");
    tpi_buf_fini(&out);
}

/* All zero is a value of every struct. */
static void use_structs(const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->struct_count; i++) {
        const tp_struct *type = interface->structs[i];
        void *value = calloc(1, type->size);
        void *back = NULL;
        size_t size = 0;
        fuzz_require(value != NULL && tp_xdr_size(type, value, &size) == TP_OK, "no size");
        fuzz_require(size == type->wire_min, "the shortest encoding is not the shortest");
        unsigned char *bytes = calloc(1, size + 1);
        fuzz_require(tp_xdr_encode(type, value, bytes, size, &size) == TP_OK, "cannot encode");
        fuzz_require(tp_xdr_decode_new(&back, type, bytes, size) == TP_OK, "cannot decode");
        fuzz_require(tp_value_equal(type, value, back), "the round trip changes the value");
        free(bytes);
        free(back);
        free(value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tpi_padi_scope scope = {find, NULL, true}; /* any code, any file name */
    tpi_padi padi = {0};
    tp_error err = {0};
    tp_status status = tpi_padi_parse(&padi, "fuzz", (const char *)data, size, &scope, &err);

    if (status == TP_OK) {
        describe(&padi.interface);
        emit(&padi);
        use_structs(&padi.interface);
    } else {
        fuzz_require(strncmp(err.text, "fuzz:", 5) == 0, "an error without a place");
    }
    tpi_padi_fini(&padi);
    return 0;
}
