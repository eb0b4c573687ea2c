/* new_texts.h - the files that `troupe new` writes; @ stands for the name. */
#ifndef TROUPE_APPS_NEW_TEXTS_H
#define TROUPE_APPS_NEW_TEXTS_H

extern const char new_driver_c[];
extern const char new_driver_cfg[];
extern const char new_world[];
extern const char new_client_c[];
extern const char new_robot[];
extern const char new_sensor[];

#endif
