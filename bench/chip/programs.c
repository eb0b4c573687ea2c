/*
 * programs.c - programs that chip and computer both run.
 *
 * Those made by chance have integers and floats, calls, loops and comparisons; they end. What a
 * program waits for is far apart, so that the speed of a machine does not change the order.
 */
#include "chip/programs.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const written[] = {
    "to fib(n)\nif n < 2\nreturn n\nend\nreturn fib(n - 1) + fib(n - 2)\nend\nprint fib(12)\n",
    "let n be 2\nlet count be 0\nwhile n < 100\nlet d be 2\nlet prime be true\nwhile d * d <= "
    "n\nif "
    "n mod d = 0\nlet prime be false\nbreak\nend\nchange d by 1\nend\nif prime\nchange count by "
    "1\nprint n\nend\nchange n by 1\nend\nprint count\n",
    "let x be 0.0\nlet v be 0.0\nlet sum be 0.0\nlet last be 0.0\nrepeat 50 times\nlet error be "
    "10.0 "
    "- x\nlet sum be sum + error * 0.01\nlet rate be (error - last) / 0.01\nlet u be 2.0 * error + "
    "0.5 * sum + 0.1 * rate\nlet last be error\nif u > 100.0\nlet u be 100.0\nelse if u < "
    "-100.0\nlet u be -100.0\nend\nlet v be v + (u - 0.8 * v) * 0.01\nlet x be x + v * 0.01\nprint "
    "x, v, u\nend\n",
    "let a be -200\nrepeat 30 times\nprint a, sin(a), cos(a), atan2(a, 50), exp(a / 20), sqrt(a), "
    "abs(a), round(a / 7)\nchange a by 17\nend\n",
    "let one be 1\n"
    "print \"a\" = \"a\", \"a\" = \"b\", \"a\" <> one, \"long text\" = \"long text\", true = 1, 0 "
    "/ "
    "0 "
    "= 0 / 0\nprint 1 / 0, -1 / 0, 7 mod 3, -7 mod 3, 7 mod -3, 5.5 mod 2, -5.5 mod 2\n",
    "start other\nrepeat 5 times\nprint \"main\"\nend\ntask other\nrepeat 3 times\nprint "
    "\"other\"\nend\nend\n",
    "start slow\nrepeat 3 times\nprint 1\nwait 0.2\nend\ntask slow\nwait 0.1\nrepeat 3 "
    "times\nprint "
    "2\nwait 0.2\nend\nend\n",
    "device eye is Light Sensor\ndevice lamp is LED\nrepeat 3 times\nif eye > 5\nset lamp to "
    "true\nelse\nset lamp to false\nend\nprint eye\nend\n",
    "device left is Left Wheel\ndevice right is Right Wheel\nmove left at 50\nmove right at "
    "-20.5\nwait 0.1\ndrive 30 turn 10\nwait 0.1\ndrive 2 * 100 turn -80\nstop left\nstop\n",
    "device arm is Servo\nlet a be 0\nrepeat 4 times\nset arm to a\nchange a by 45\nend\nstop\n",
    "device b is Button\nrepeat 3 times\nprint b\nwait 0.05\nend\nstop\nlet x be 0\nprint 5 mod "
    "x\n",
    "to deep(n)\nreturn deep(n + 1) + 1\nend\nprint 1\nprint deep(0)\n",
    "repeat 1 times\nlet x be \"text\"\nend\nprint x\nprint x + 1\n",
    "let x be 0\nprint 1\nprint 5 mod x\n",
    "repeat 10 times\nprint random(1, 6), random(0, 1.0), random(-5, 5)\nend\n",
    "let x be 2147483647\nprint x + 1, x * 2, -x - 2, x * x, x / 3\nlet y be 1\nrepeat 40 "
    "times\nchange y by y\nprint y, y / 7\nend\n",
    "let t be 1.5\nrepeat 3.6 times\nlet t be t * t\nprint t, not t, not not t, t > 3 and t < "
    "6\nend\n",
    "wait until 1 < 2\nprint 1\nwait until 1 > 2 at most 0.2 s\nprint 2\n",
    "let total be 0\nto add(x, y)\nlet total be total + x * y\nreturn total\nend\nrepeat 4 "
    "times\nprint add(2, 3), add(0.5, total)\nend\nlog total, total\n",
    "device near is Obstacle Sensor\ndevice eye is Light Sensor\ndevice dark is Light "
    "Sensor\nprint "
    "near, eye, dark, min(eye, dark), max(eye, dark)\n",
};
enum { WRITTEN = sizeof written / sizeof written[0] };

/* ---- Programs made by chance ---- */

struct maker {
    char *out;
    size_t size, length;
    uint32_t state;
    unsigned depth;
};

static unsigned draw(struct maker *m, unsigned count)
{
    m->state ^= m->state << 13;
    m->state ^= m->state >> 17;
    m->state ^= m->state << 5;
    return m->state % count;
}

static void put(struct maker *m, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(m->out + m->length, m->size - m->length, format, arguments);
    va_end(arguments);
    m->length += length > 0 ? (size_t)length : 0;
    m->length = m->length < m->size ? m->length : m->size - 1;
}

static void expression(struct maker *m, unsigned depth)
{
    static const char *const operators[] = {"+", "-", "*", "/", "mod", "+", "-", "*"};
    static const char *const functions[] = {"abs", "round", "sqrt", "sin", "cos", "exp"};

    switch (depth == 0 ? draw(m, 3) : draw(m, 9)) {
    case 0:
        put(m, "%c", "abcd"[draw(m, 4)]);
        break;
    case 1:
        put(m, "%u", draw(m, draw(m, 4) == 0 ? 1000000000 : 300));
        break;
    case 2:
        put(m, "%u.%u", draw(m, 200), draw(m, 1000));
        break;
    case 3:
        put(m, "%s(", functions[draw(m, 6)]);
        expression(m, depth - 1);
        put(m, ")");
        break;
    case 4:
        put(m, "%s(", draw(m, 2) ? "min" : "atan2");
        expression(m, depth - 1);
        put(m, ", ");
        expression(m, depth - 1);
        put(m, ")");
        break;
    case 5:
        put(m, "f(");
        expression(m, depth - 1);
        put(m, ")");
        break;
    default:
        put(m, "(");
        expression(m, depth - 1);
        put(m, " %s ", operators[draw(m, 8)]);
        expression(m, depth - 1);
        put(m, ")");
    }
}

static void condition(struct maker *m)
{
    static const char *const relations[] = {"=", "<>", "<", "<=", ">", ">="};

    put(m, draw(m, 4) == 0 ? "not " : "");
    expression(m, 1);
    put(m, " %s ", relations[draw(m, 6)]);
    expression(m, 1);
}

static void statement(struct maker *m, unsigned depth)
{
    switch (depth == 0 ? draw(m, 3) : draw(m, 5)) {
    case 0:
        put(m, "let %c be ", "abcd"[draw(m, 4)]);
        expression(m, 2);
        put(m, "\n");
        break;
    case 1:
        put(m, "change %c by ", "abcd"[draw(m, 4)]);
        expression(m, 1);
        put(m, "\n");
        break;
    case 2:
        put(m, "print a, b, c, d\n");
        break;
    case 3:
        put(m, "repeat %u times\n", draw(m, 4) + 1);
        statement(m, depth - 1);
        statement(m, depth - 1);
        put(m, "end\n");
        break;
    default:
        put(m, "if ");
        condition(m);
        put(m, "\n");
        statement(m, depth - 1);
        put(m, "else\n");
        statement(m, depth - 1);
        put(m, "end\n");
    }
}

void chip_program(char *out, size_t size, unsigned long index)
{
    struct maker m = {out, size, 0, (uint32_t)index * 2654435761u + 7u, 0};

    if (index < WRITTEN) {
        snprintf(out, size, "%s", written[index]);
        return;
    }
    put(&m, "let a be 1\nlet b be 2.5\nlet c be -3\nlet d be 0\nto f(x)\nif x > 100\nreturn x / "
            "2\nend\nreturn x + ");
    put(&m, "%u\nend\n", draw(&m, 50));
    for (unsigned i = 0; i < 8; i++) {
        statement(&m, 2);
    }
    put(&m, "print a, b, c, d\n");
}
