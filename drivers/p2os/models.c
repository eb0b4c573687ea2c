/* models.c - see models.h. Numbers are those of the makers' parameter files. */
#include "models.h"

#include <string.h>
#include <strings.h>

#define DX_SONARS                                                                                  \
    {                                                                                              \
        {69, 136, 90}, {114, 119, 50}, {148, 78, 30}, {166, 27, 10}, {166, -27, -10},              \
            {148, -78, -30}, {114, -119, -50}, {69, -136, -90}, {-157, -136, -90},                 \
            {-203, -119, -130}, {-237, -78, -150}, {-255, -27, -170}, {-255, 27, 170},             \
            {-237, 78, 150}, {-203, 119, 130}, {-157, 136, 90},                                    \
    }

/* A longer name before its beginning. The turn is half of the makers' factor for a difference of
 * wheels, in radians per millimetre. */
static const struct p2os_model models[] = {
    {"p3dx", 0.485e-3, 1e-3, 2.8, 1e-3, 0.511, 0.425, 16, DX_SONARS},
    {"p3at",
     0.465e-3,
     1e-3,
     1.7,
     1e-3,
     0.626,
     0.505,
     16,
     {{147, 136, 90},
      {193, 119, 50},
      {227, 79, 30},
      {245, 27, 10},
      {245, -27, -10},
      {227, -79, -30},
      {193, -119, -50},
      {147, -136, -90},
      {-144, -136, -90},
      {-189, -119, -130},
      {-223, -79, -150},
      {-241, -27, -170},
      {-241, 27, 170},
      {-223, 79, 150},
      {-189, 119, 130},
      {-144, 136, 90}}},
    {"p2dx", 0.84e-3, 1e-3, 2.8, 0.268e-3, 0.511, 0.425, 16, DX_SONARS},
    {"amigo",
     0.5083e-3,
     0.6154e-3,
     5.5,
     1e-3,
     0.33,
     0.279,
     8,
     {{76, 100, 90},
      {125, 75, 41},
      {150, 30, 15},
      {150, -30, -15},
      {125, -75, -41},
      {76, -100, -90},
      {-140, -58, -145},
      {-140, 58, 145}}},
};

enum { MODELS = sizeof models / sizeof models[0] };

const char tpi_p2os_model_names[] = "p3dx, p3at, p2dx, amigo";
const struct p2os_model *const tpi_p2os_usual_model = &models[0];

const struct p2os_model *tpi_p2os_model_named(const char *name)
{
    for (size_t i = 0; i < MODELS; i++) {
        if (strncasecmp(models[i].name, name, strlen(models[i].name)) == 0) {
            return &models[i];
        }
    }
    return NULL;
}
