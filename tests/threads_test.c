/* threads_test.c - descriptors are constant: many threads use the codecs at once. Plain main, since
 * cmocka's checks belong to one thread; the thread sanitizer watches. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "troupe/interfaces/all.h"

enum { THREADS = 4, ROUNDS = 2000 };

/* Encode, decode and print; NULL if all went well. */
static void *use_codecs(void *failure)
{
    float ranges[] = {1, 2, 3};
    const tp_sonar_data data = {.ranges_count = 3, .ranges = ranges};
    unsigned char bytes[64];
    size_t size = 0;

    for (int i = 0; i < ROUNDS; i++) {
        void *back = NULL;
        char *text = NULL;
        bool good =
            tp_xdr_encode(&tp_desc_sonar_data, &data, bytes, sizeof bytes, &size) == TP_OK &&
            tp_xdr_decode_new(&back, &tp_desc_sonar_data, bytes, size) == TP_OK &&
            tp_value_equal(&tp_desc_sonar_data, &data, back) &&
            tp_value_text(&text, &tp_desc_sonar_data, back, TP_TEXT_JSON) == TP_OK &&
            strcmp(text, "{\"ranges_count\":3,\"ranges\":[1,2,3]}") == 0;
        free(text);
        free(back);
        if (!good) {
            return failure;
        }
    }
    return NULL;
}

int main(void)
{
    static char failure;
    pthread_t threads[THREADS];
    int failures = 0;

    puts("1..1");
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, use_codecs, &failure) != 0) {
            puts("not ok 1 - threads start");
            return 1;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        failures += result != NULL;
    }
    printf("%s 1 - descriptors are shared by threads\n", failures == 0 ? "ok" : "not ok");
    return failures == 0 ? 0 : 1;
}
