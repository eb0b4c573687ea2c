/* cfg_number.h - numbers as configuration files write them. */
#ifndef TROUPE_CONVERT_CFG_NUMBER_H
#define TROUPE_CONVERT_CFG_NUMBER_H

typedef enum tpi_cfg_number_form {
    TPI_CFG_NO_NUMBER,
    TPI_CFG_DECIMAL,   /* -5 +.5 007. */
    TPI_CFG_EXPONENT,  /* 1e-3 */
    TPI_CFG_HEX,       /* 0x1F */
    TPI_CFG_TOO_LARGE, /* a number, but not one that a double holds */
    TPI_CFG_TOO_LONG,  /* a number of more digits than anybody means */
} tpi_cfg_number_form;

/* Read a number that fills the whole text. `value` is written for the forms that have one. */
tpi_cfg_number_form tpi_cfg_number_read(const char *text, double *value);

#endif
