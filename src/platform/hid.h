/*
 * hid.h - USB-HID devices: hid:/dev/hidraw0, or hid:2354:1111 (vendor and product, hexadecimal).
 *
 * Each write is one report and each read is one report. The number of the report, which Linux wants
 * in front of what is written, is 0: devices with numbered reports are not supported. A
 * pseudo-terminal stands in for a device, so that an emulated robot can be opened as a real one is.
 */
#ifndef TROUPE_PLATFORM_HID_H
#define TROUPE_PLATFORM_HID_H

#include "platform/line.h"

extern const tp_scheme tpi_scheme_hid;

enum { TPI_HID_PATH = 256 };

/* The path "/dev/hidrawN" of the device number `nth` (from 0, by N) with this vendor and product;
 * `root` is the folder of the system that lists them. False if there is none. */
bool tpi_hid_find(const char *root, unsigned vendor, unsigned product, unsigned nth,
                  char path[TPI_HID_PATH]);

#endif
