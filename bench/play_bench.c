/*
 * play_bench.c - the machine of universal programs beside Lua and C, in the same run.
 *
 * Three programs: recursive Fibonacci numbers, primes by trial division, a PID loop. Each is timed
 * several times in turn on all three; the shortest times count. The goal: not slower than Lua.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "bench.h"
#include "play/machine.h"
#include "play/program.h"

static const char help[] =
    "usage: ./troupe bench play\n\n"
    "Runs three programs on the machine of universal programs, in Lua and in C: Fibonacci "
    "numbers,\n"
    "primes and a PID loop. The shortest times count. Exits with 1 if results differ.\n";

enum { ROUNDS = 15, CELLS = 4096, FRAMES = 1000 };

static const char play_fib[] =
    "to fib(n)\nif n < 2\nreturn n\nend\nreturn fib(n - 1) + fib(n - 2)\nend\n"
    "print fib(27)\n";
static const char lua_fib[] =
    "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end\n"
    "return fib(27)";

static const char play_primes[] = "to primes(limit)\nlet count be 0\nlet n be 2\nwhile n < "
                                  "limit\nlet d be 2\nlet prime be true\nwhile d * d <= n\n"
                                  "if n mod d = 0\nlet prime be false\nbreak\nend\nchange d by "
                                  "1\nend\nif prime\nchange count by 1\nend\n"
                                  "change n by 1\nend\nreturn count\nend\nprint primes(60000)\n";
static const char lua_primes[] =
    "local function primes(most) local count, n = 0, 2\nwhile n < most do local d, prime = 2, "
    "true\n"
    "while d * d <= n do if n % d == 0 then prime = false break end d = d + 1 end\n"
    "if prime then count = count + 1 end n = n + 1 end return count end\nreturn primes(60000)";

static const char play_pid[] =
    "to pid(steps)\nlet x be 0.0\nlet v be 0.0\nlet sum be 0.0\nlet last be 0.0\nrepeat steps "
    "times\n"
    "let error be 10.0 - x\nlet sum be sum + error * 0.01\nlet rate be (error - last) / 0.01\n"
    "let u be 2.0 * error + 0.5 * sum + 0.1 * rate\nlet last be error\nif u > 100.0\nlet u be "
    "100.0\n"
    "else if u < -100.0\nlet u be -100.0\nend\nlet v be v + (u - 0.8 * v) * 0.01\nlet x be x + v * "
    "0.01\nend\n"
    "return round(x)\nend\nprint pid(400000)\n";
static const char lua_pid[] =
    "local function pid(steps) local x, v, sum, last = 0.0, 0.0, 0.0, 0.0\nfor i = 1, steps do\n"
    "local err = 10.0 - x\nsum = sum + err * 0.01\nlocal rate = (err - last) / 0.01\n"
    "local u = 2.0 * err + 0.5 * sum + 0.1 * rate\nlast = err\n"
    "if u > 100.0 then u = 100.0 elseif u < -100.0 then u = -100.0 end\n"
    "v = v + (u - 0.8 * v) * 0.01\nx = x + v * 0.01 end return math.floor(x + 0.5) end\nreturn "
    "pid(400000)";

/* ---- C --------------------------------------------------------------------------------------- */

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int c_fib(void)
{
    volatile int n = 27;

    return fib(n);
}

static int c_primes(void)
{
    volatile int most = 60000;
    int count = 0;

    for (int n = 2; n < most; n++) {
        int d = 2;
        while (d * d <= n && n % d != 0) {
            d++;
        }
        count += d * d > n;
    }
    return count;
}

static int c_pid(void)
{
    volatile int steps = 400000;
    float x = 0, v = 0, sum = 0, last = 0;

    for (int i = 0; i < steps; i++) {
        const float error = 10.0f - x;
        sum += error * 0.01f;
        const float rate = (error - last) / 0.01f;
        float u = 2.0f * error + 0.5f * sum + 0.1f * rate;
        last = error;
        u = u > 100.0f ? 100.0f : u < -100.0f ? -100.0f : u;
        v += (u - 0.8f * v) * 0.01f;
        x += v * 0.01f;
    }
    return (int)(x + 0.5f);
}

/* ---- The machine and Lua --------------------------------------------------------------------- */

static const struct program {
    const char *name, *play, *lua;
    int (*c)(void);
} programs[] = {
    {"fib", play_fib, lua_fib, c_fib},
    {"primes", play_primes, lua_primes, c_primes},
    {"pid", play_pid, lua_pid, c_pid},
};

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Run an image to its print; what it prints. */
static int run_play(const tpi_play_program *program)
{
    static tpi_play_cell cells[CELLS], constants[256];
    static tpi_play_frame frames[FRAMES];
    static char slots[16];
    static tpi_play_machine machine;
    const tpi_play_memory memory = {cells, CELLS, frames, FRAMES, slots, 1, 16, constants};

    if (!tpi_play_init(&machine, (const uint8_t *)program->image.data, &memory, 1)) {
        return -1;
    }
    while (tpi_play_run(&machine, 1000000) == TPI_PLAY_RUNS) {
    }
    return machine.is_asking ? machine.request.row[0].as.i : -1;
}

static int run_lua(lua_State *lua, const char *text)
{
    int result = -1;

    if (luaL_dostring(lua, text) == LUA_OK) {
        result = (int)lua_tointeger(lua, -1);
    }
    lua_settop(lua, 0);
    return result;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static int compare(const struct program *p, lua_State *lua, const tpi_vocabulary *vocabulary)
{
    static tpi_play_troubles troubles;
    tpi_play_program program = {0};
    double play = 1e9, other = 1e9, c = 1e9;
    int results[3] = {0};

    memset(&troubles, 0, sizeof troubles);
    if (!tpi_play_compile(&program, p->play, strlen(p->play), vocabulary, &troubles)) {
        fprintf(stderr, "%s: %u: %s\n", p->name, troubles.list[0].line, troubles.list[0].text);
        return 1;
    }
    for (int i = 0; i < ROUNDS; i++) {
        double start = seconds();
        results[0] = run_play(&program);
        play = least(play, seconds() - start);
        start = seconds();
        results[1] = run_lua(lua, p->lua);
        other = least(other, seconds() - start);
        start = seconds();
        results[2] = p->c();
        c = least(c, seconds() - start);
    }
    tpi_play_program_fini(&program);
    printf("%-7s %9.2f %9.2f %9.2f %10.2f %10.1f   %d\n", p->name, play * 1e3, other * 1e3, c * 1e3,
           play / other, play / c, results[0]);
    return results[0] == results[1] && results[0] == results[2] ? 0 : 1;
}

int main(int argc, char **argv)
{
    tpi_vocabulary *vocabulary = NULL;
    tpi_buf text = {0};
    lua_State *lua = luaL_newstate();
    tp_error err = {0};
    int wrong = 0;

    bench_takes_nothing(argc, argv, help);
    if (lua == NULL ||
        tpi_file_read(&text, BENCH_ROBOTS "/classes.xml", TPI_MOST_DOCUMENT, &err) != TP_OK ||
        tpi_vocabulary_read(&vocabulary, text.data, text.length, "classes.xml", &err) != TP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    luaL_openlibs(lua);
    printf("%-7s %9s %9s %9s %10s %10s   %s\n", "PROGRAM", "PLAY ms", "LUA ms", "C ms", "PLAY/LUA",
           "PLAY/C", "RESULT");
    for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        wrong += compare(&programs[i], lua, vocabulary);
    }
    lua_close(lua);
    tpi_vocabulary_destroy(vocabulary);
    tpi_buf_fini(&text);
    return wrong > 0;
}
