/* cmd_log.c - troupe log: records devices, and what can be done with recordings. */
#include <string.h>

#include "log.h"
#include "remote.h"

static int run(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "info") == 0) {
        return log_info(argc - 1, argv + 1);
    }
    if (argc > 0 && strcmp(argv[0], "recover") == 0) {
        return log_recover(argc - 1, argv + 1);
    }
    if (argc > 0 && strcmp(argv[0], "csv") == 0) {
        return log_csv(argc - 1, argv + 1);
    }
    if (argc > 0 && strcmp(argv[0], "plot") == 0) {
        return log_plot(argc - 1, argv + 1);
    }
    return log_record(argc, argv);
}

const command command_log = {
    .name = "log",
    .summary = "record devices to a file (MCAP or CSV)",
    .help =
        "usage: troupe log [DEVICE ...] [-o FILE] [--for S] [--count N] [--rate HZ]\n"
        "       troupe log --experiment FILE [-o FILE]\n"
        "       troupe log info FILE\n"
        "       troupe log csv FILE [-o TABLE.csv] [--locale LANGUAGE]\n"
        "       troupe log plot FILE [COLUMN ...] [-o PICTURE] [--x COLUMN] [--force]\n"
        "       troupe log recover FILE ... [-o FILE] [--force]\n"
        "\n"
        "Records all data of the devices until it is interrupted. Without DEVICE, all devices "
        "that\n"
        "send data are recorded. The recording is an MCAP file, which Foxglove and other tools\n"
        "open. Data is written at least once a second, so a crash loses no more than that.\n"
        "\n"
        "  -o, --out FILE  the file; default troupe-DATE-TIME.mcap. A FILE that ends in .csv is a\n"
        "                  table with units in its header, made at the end\n"
        "  --for S         end after S seconds\n"
        "  -n, --count N   end after N messages\n"
        "  --rate HZ       record at most this many messages of each kind per second\n"
        "  --every S       the same as a time: one message of each kind in S seconds\n"
        "  --start COND    begin when a number crosses a limit: aio:0/voltages[0]>2.5; <, <=, >, "
        ">=\n"
        "  --end COND      end when it does\n"
        "  --when COND     record only while it holds\n"
        "  --experiment F  set up the experiment of the file F on sensors, start it, and record\n"
        "                  until its end\n"
        "  --form FORM     json (the default), which other tools can show, or xdr, which is small\n"
        "                  and fast\n"
        "  --compression C lz4 (the default), zstd or none\n"
        "  --locale LANG   de and other languages with a decimal comma: columns are separated by "
        ";\n"
        "  --plot PICTURE  draw the numbers at the end, to a .svg or .png\n"
        "  --force         replace a file that exists\n"
        "  --quiet         show no progress\n" REMOTE_OPTIONS_HELP "\n"
        "info lists the channels of a recording and reads it to its end. It exits with 1 if the\n"
        "file is damaged.\n"
        "csv writes a recording as a table, to standard output by default.\n"
        "plot draws numbers of a recording over time, or with --x over another number, to\n"
        "PICTURE.svg or PICTURE.png. A COLUMN is DEVICE/FIELD: position2d:0/pos.px, "
        "aio:0/voltages,\n"
        "laser:0/ranges[90]. Without COLUMN, all numbers that change are drawn.\n"
        "recover saves every intact chunk of a damaged recording; the default output is\n"
        "FILE-recovered.mcap. Exit codes: 0 the file was whole, 1 a part was saved, 2 nothing.\n"
        "Of several files, the worst one counts.\n"
        "\n"
        "Examples: troupe log position2d:0 ranger:0 -o run.mcap --for 60\n"
        "          troupe log aio:0 -o light.csv --locale de\n"
        "          troupe log plot run.mcap position2d:0/pos.py --x position2d:0/pos.px -o "
        "way.png\n",
    .run = run,
};
