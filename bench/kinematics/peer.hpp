/*
 * peer.hpp - the same robot in KDL, read by urdfdom: two libraries that share no code with ours.
 */
#ifndef TROUPE_BENCH_KINEMATICS_PEER_HPP
#define TROUPE_BENCH_KINEMATICS_PEER_HPP

#include <cmath>
#include <cstring>
#include <kdl/chain.hpp>
#include <kdl/jacobian.hpp>
#include <string>
#include <vector>

extern "C" {
#include "kinematics/mechanism.h"
}

/* One chain from the root to a leaf, in both libraries. Joint i of KDL is step i of ours. */
struct peer_chain {
    std::string tip;
    tpi_chain ours;
    KDL::Chain theirs;
    bool has_mimics = false;
    std::vector<double> lower, upper; /* of the steps; unlimited ones: half a turn or a metre */
    std::vector<bool> bounded;        /* whether these are limits of the robot */
};

/* A robot of a file in both libraries. */
struct peer_robot {
    std::string name;
    tpi_mechanism *mechanism = nullptr; /* owned */
    std::vector<peer_chain> chains;
    std::string left_out; /* what KDL or urdfdom cannot read; empty if nothing */

    ~peer_robot()
    {
        tpi_mechanism_destroy(mechanism);
    }
};

/* Read a file with both. Returns false, with the reason, if ours or theirs refuses it. */
bool peer_read(peer_robot &out, const std::string &path, std::string &why);

/* The robots (*.urdf) of files and folders. */
std::vector<std::string> peer_files(const std::vector<std::string> &paths);

/* A Jacobian of KDL, which has a column for each joint, with our columns: one for each free dof. */
std::vector<double> peer_fold(const peer_chain &chain, const KDL::Jacobian &theirs);

/* Print what KDL gives in some poses of each chain; see tests/support/poses.h. */
void vectors_print(const std::vector<peer_robot> &robots, unsigned poses);

#endif
