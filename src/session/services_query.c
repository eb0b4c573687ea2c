/* services_query.c - services: what the server is, what it has done, and its frames. */
#include "session/services.h"

static bool read_name(char out[TPI_SERVICE_TEXT], const char *text, uint32_t count)
{
    const size_t length = tpi_service_text(out, text, count);

    return length > 0 && length < TPI_SERVICE_TEXT;
}

tp_status tpi_service_hello(tp_session *session, const tp_msghdr *request, const void *value)
{
    static char name[] = "troupe";
    const tp_hello *theirs = value;
    const bool read_only = tp_session_right(session) == TP_RIGHT_READ;
    const tp_hello ours = {.version = 1,
                           .features = TP_HELLO_ERRORS | TP_HELLO_LEASES | TP_HELLO_EXTENSIONS |
                                       (read_only ? TP_HELLO_READ_ONLY : 0U),
                           .name_count = sizeof name,
                           .name = name};
    char software[TPI_SERVICE_TEXT];

    tp_session_explain_failures(session, (theirs->features & TP_HELLO_ERRORS) != 0);
    tp_session_speak_leases(session, (theirs->features & TP_HELLO_LEASES) != 0);
    tp_session_allow_extensions(session, (theirs->features & TP_HELLO_EXTENSIONS) != 0);
    if (read_name(software, theirs->name, theirs->name_count)) {
        tp_session_set_software(session, software);
    }
    return tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK, &tp_desc_hello, &ours);
}

tp_status tpi_service_statistics(tp_session *session, const tp_msghdr *request, const void *value)
{
    tp_statistics *answer = NULL;
    const tp_status status = tp_hub_statistics(session->hub, &answer);

    (void)value;
    return tpi_service_answer_take(session, request, status, &tp_desc_statistics, answer);
}

tp_status tpi_service_device_statistics(tp_session *session, const tp_msghdr *request,
                                        const void *value)
{
    const tp_device_stat_page *asked = value;
    tp_device_stat_page *page = NULL;
    const tp_status status = tp_hub_device_statistics(session->hub, asked->first, &page);

    return tpi_service_answer_take(session, request, status, &tp_desc_device_stat_page, page);
}

tp_status tpi_service_frames(tp_session *session, const tp_msghdr *request, const void *value)
{
    tp_frame_list *frames = NULL;
    const tp_status status = tp_hub_frames(session->hub, &frames);

    (void)value;
    return tpi_service_answer_take(session, request, status, &tp_desc_frame_list, frames);
}

tp_status tpi_service_transform(tp_session *session, const tp_msghdr *request, const void *value)
{
    tp_transform_req answer = *(const tp_transform_req *)value;
    char from[TPI_SERVICE_TEXT];
    char to[TPI_SERVICE_TEXT];
    tp_error err = {0};

    if (!read_name(from, answer.from, answer.from_count) ||
        !read_name(to, answer.to, answer.to_count)) {
        return tp_session_refuse(session, request, TP_E_INVALID,
                                 "the name of a frame has 1 to 127 characters");
    }
    const uint32_t robot = session->robot == TP_EVERY_ROBOT ? request->addr.robot : session->robot;
    const tp_status status =
        tp_hub_transform(session->hub, robot, from, to, &answer.pose, &answer.timestamp, &err);
    return status == TP_OK ? tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK,
                                               &tp_desc_transform_req, &answer)
                           : tp_session_refuse(session, request, status, err.text);
}
