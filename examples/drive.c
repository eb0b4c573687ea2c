/* drive.c - drives ahead until something is nearer than a metre. */
#include <stdio.h>

#include "troupe/client/laser.h"
#include "troupe/client/position2d.h"

int main(void)
{
    const tp_position2d_cmd_vel ahead = {.vel = {.px = 1}, .state = 1}, stop = {.state = 1};
    const tp_laser_data *scan = NULL;
    tp_client *client = NULL;
    tp_proxy *base, *laser;
    tp_error err;

    if (tp_client_connect(&client, NULL, NULL, &err) == TP_OK &&
        tp_position2d_open(client, 0, &base, &err) == TP_OK &&
        tp_laser_open(client, 0, &laser, &err) == TP_OK) {
        while ((scan = tp_laser_wait_scan(laser, TP_NS_PER_S, &err)) != NULL &&
               scan->ranges[scan->ranges_count / 2] > 1) {
            if (tp_position2d_command_vel(base, &ahead, &err) != TP_OK ||
                tp_proxy_refusal(base, &err) != TP_OK) { /* it may not move */
                scan = NULL;
                break;
            }
        }
        tp_position2d_command_vel(base, &stop, NULL);
    }
    puts(scan != NULL ? "something is ahead" : err.text);
    tp_client_destroy(client);
    return scan == NULL;
}
