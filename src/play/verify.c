/* verify.c - decides whether an image can be executed, and says why not; examine.c has the checks.
 */
#include "play/examine.h"
#include "play/program.h"

/* Of an instruction or an operand at a place. */
static const char *reason_text(unsigned reason)
{
    switch (reason) {
    case TPI_PLAY_WRONG_ENTRY:
        return "a task or function begins at a wrong place";
    case TPI_PLAY_WRONG_REGISTERS:
        return "the registers of a function are wrong";
    case TPI_PLAY_NO_INSTRUCTION:
        return "there is no such instruction";
    case TPI_PLAY_CUT:
        return "the instruction is cut";
    case TPI_PLAY_RUNS_OFF:
        return "the code runs off its end";
    case TPI_PLAY_WRONG_END:
        return "a function does not end a task";
    case TPI_PLAY_WRONG_RETURN:
        return "there is no function to return from";
    case TPI_PLAY_NOT_REACHED:
        return "nothing leads to the code here";
    case 'd':
    case 'r':
        return "there is no such register";
    case 'g':
        return "there is no such register of the program";
    case 'k':
        return "there is no such constant";
    case 't':
        return "there is no such text";
    case 'f':
        return "there is no such function";
    case 'q':
        return "there is no such task";
    case 'm':
        return "there is no such built-in function";
    case 'j':
        return "the jump leads nowhere";
    case 'w':
        return "the row of values is too long";
    case 'v':
        return "there is no such device or channel";
    default:
        return "?";
    }
}

tp_status tpi_play_verify_fail(unsigned reason, unsigned at, tp_error *err)
{
    switch (reason) {
    case TPI_PLAY_ACCEPTED:
        return TP_OK;
    case TPI_PLAY_NO_IMAGE:
        return tp_fail(err, TP_E_SYNTAX, "this is no compiled program");
    case TPI_PLAY_OTHER_VERSION:
        return tp_fail(err, TP_E_UNSUPPORTED, "the program has version %u, this is version %u", at,
                       (unsigned)TPI_PLAY_VERSION);
    case TPI_PLAY_OTHER_LENGTH:
        return tp_fail(err, TP_E_SHORT, "the program has %u bytes, not as many are here", at);
    case TPI_PLAY_OTHER_CHECKSUM:
        return tp_fail(err, TP_E_INVALID, "the checksum of the program is wrong");
    case TPI_PLAY_WRONG_HEADER:
        return tp_fail(err, TP_E_RANGE, "the header of the program is wrong");
    case TPI_PLAY_WRONG_TABLES:
        return tp_fail(err, TP_E_RANGE, "the tables of the program do not fit its code");
    default:
        return tp_fail(err, TP_E_INVALID, "the program's code at byte %u: %s", at,
                       reason_text(reason));
    }
}

tp_status tpi_play_verify(const uint8_t *image, size_t length, tp_error *err)
{
    uint8_t starts[8192];
    tpi_play_exam exam = {.image = image, .starts = starts};

    if (length > UINT16_MAX) {
        return tp_fail(err, TP_E_RANGE, "the program has %zu bytes, at most %u are possible",
                       length, (unsigned)UINT16_MAX);
    }
    const uint8_t reason = tpi_play_examine(&exam, (uint16_t)length);
    const unsigned at = reason == TPI_PLAY_OTHER_VERSION  ? image[TPI_PLAY_AT_VERSION]
                        : reason == TPI_PLAY_OTHER_LENGTH ? exam.layout.length
                                                          : exam.at;
    return tpi_play_verify_fail(reason, at, err);
}
