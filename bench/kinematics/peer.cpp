/* peer.cpp - the same robot in KDL, read by urdfdom; see peer.hpp. */
#include "peer.hpp"

#include <console_bridge/console.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

static KDL::Vector vector_of(const urdf::Vector3 &v)
{
    return KDL::Vector(v.x, v.y, v.z);
}

static KDL::Frame frame_of(const urdf::Pose &pose)
{
    const urdf::Rotation &r = pose.rotation;

    return KDL::Frame(KDL::Rotation::Quaternion(r.x, r.y, r.z, r.w), vector_of(pose.position));
}

/* A joint of the file and the link behind it. Returns false for joints that KDL does not have. */
static bool segment_of(KDL::Segment &out, const urdf::Joint &joint)
{
    const KDL::Frame at = frame_of(joint.parent_to_joint_origin_transform);
    const KDL::Vector axis = at.M * vector_of(joint.axis);

    switch (joint.type) {
    case urdf::Joint::FIXED:
        out = KDL::Segment(joint.child_link_name, KDL::Joint(joint.name, KDL::Joint::None), at);
        return true;
    case urdf::Joint::REVOLUTE:
    case urdf::Joint::CONTINUOUS:
        out = KDL::Segment(joint.child_link_name,
                           KDL::Joint(joint.name, at.p, axis, KDL::Joint::RotAxis), at);
        return true;
    case urdf::Joint::PRISMATIC:
        out = KDL::Segment(joint.child_link_name,
                           KDL::Joint(joint.name, at.p, axis, KDL::Joint::TransAxis), at);
        return true;
    default:
        return false;
    }
}

/* The chain of KDL from the root to a link. */
static bool chain_to(KDL::Chain &out, const urdf::Link &link)
{
    std::vector<const urdf::Joint *> joints;

    for (const urdf::Link *at = &link; at->parent_joint; at = at->getParent().get()) {
        joints.push_back(at->parent_joint.get());
    }
    std::reverse(joints.begin(), joints.end());
    for (const urdf::Joint *joint : joints) {
        KDL::Segment segment;

        if (!segment_of(segment, *joint)) {
            return false;
        }
        out.addSegment(segment);
    }
    return true;
}

/* Our limits of every step. */
static void set_limits(peer_chain &chain, const tpi_mechanism *mechanism)
{
    for (unsigned i = 0; i < chain.ours.step_count; i++) {
        const tpi_dof &dof = mechanism->dofs[chain.ours.steps[i].dof];
        const double usual = dof.type == TPI_REVOLUTE ? TPI_PI : 1;

        chain.has_mimics = chain.has_mimics || dof.master >= 0;
        chain.bounded.push_back(std::isfinite(dof.lower) && std::isfinite(dof.upper));
        chain.lower.push_back(std::isfinite(dof.lower) ? dof.lower : -usual);
        chain.upper.push_back(std::isfinite(dof.upper) ? dof.upper : usual);
    }
}

static void add_chain(peer_robot &out, const urdf::Link &leaf)
{
    const int link = tpi_mechanism_link(out.mechanism, leaf.name.c_str());
    peer_chain chain;
    tp_error err = {};

    chain.tip = leaf.name;
    if (link < 0 || tpi_chain_init(&chain.ours, out.mechanism, link, nullptr, &err) != TP_OK) {
        out.left_out += " " + leaf.name + (link < 0 ? " (no such link of ours)" : err.text);
        return;
    }
    if (!chain_to(chain.theirs, leaf) || chain.theirs.getNrOfJoints() != chain.ours.step_count) {
        out.left_out += " " + leaf.name;
        return;
    }
    if (chain.ours.step_count > 0) {
        set_limits(chain, out.mechanism);
        out.chains.push_back(std::move(chain));
    }
}

static bool read_ours(peer_robot &out, const std::string &path, std::string &why)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    tp_error err = {};

    text << file.rdbuf();
    if (!file || tpi_urdf_read(&out.mechanism, text.str().data(), text.str().size(), path.c_str(),
                               &err) != TP_OK) {
        why = file ? err.text : path + ": cannot be read";
        return false;
    }
    out.name = out.mechanism->name;
    return true;
}

bool peer_read(peer_robot &out, const std::string &path, std::string &why)
{
    if (!read_ours(out, path, why)) {
        return false;
    }
    console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_NONE); /* of materials */
    const urdf::ModelInterfaceSharedPtr model = urdf::parseURDFFile(path);
    if (!model) {
        why = path + ": urdfdom refuses it";
        return false;
    }
    for (const auto &item : model->links_) {
        if (item.second->child_joints.empty()) {
            add_chain(out, *item.second);
        }
    }
    return true;
}

std::vector<double> peer_fold(const peer_chain &chain, const KDL::Jacobian &theirs)
{
    const unsigned n = chain.ours.column_count;
    std::vector<double> folded(6 * n);

    for (unsigned i = 0; i < chain.ours.step_count; i++) {
        const tpi_chain_step &step = chain.ours.steps[i];
        for (unsigned k = 0; k < 6; k++) {
            folded[k * n + (unsigned)step.column] += step.scale * theirs(k, i);
        }
    }
    return folded;
}

std::vector<std::string> peer_files(const std::vector<std::string> &paths)
{
    std::vector<std::string> files;

    for (const std::string &path : paths) {
        if (!std::filesystem::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        for (const auto &entry : std::filesystem::directory_iterator(path)) {
            if (entry.path().extension() == ".urdf") {
                files.push_back(entry.path().string());
            }
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}
