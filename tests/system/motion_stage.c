#include "support/motion_server.h"
int main(void){ struct motion_server *s=server_new(); printf("%s\n",s->url); fflush(stdout); tp_loop_run(s->loop); return 0;}
