/* vectors.cpp - what KDL gives in poses that a test can make again, as one number for each pose. */
#include <algorithm>
#include <cstdio>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include "kinematics/peer.hpp"

extern "C" {
#include "tests/support/poses.h"
}

static void print_chain(const peer_robot &robot, const peer_chain &chain, unsigned poses)
{
    const unsigned n = chain.ours.step_count;
    std::vector<double> values(robot.mechanism->dof_count);
    KDL::ChainFkSolverPos_recursive forward(chain.theirs);
    KDL::ChainJntToJacSolver jacobian(chain.theirs);
    KDL::Jacobian columns(n);
    KDL::JntArray joints(n);
    uint64_t seed = 1;

    printf("chain %s %s %u\n", robot.name.c_str(), chain.tip.c_str(), poses);
    for (unsigned i = 0; i < poses; i++) {
        KDL::Frame tip;
        tpi_spatial same;

        pose_values(robot.mechanism, values.data(), &seed);
        for (unsigned k = 0; k < n; k++) {
            joints(k) = values[(size_t)chain.ours.steps[k].dof];
        }
        forward.JntToCart(joints, tip);
        jacobian.JntToJac(joints, columns);
        std::copy(tip.M.data, tip.M.data + 9, same.r);
        std::copy(tip.p.data, tip.p.data + 3, same.p);
        const std::vector<double> folded = peer_fold(chain, columns);
        printf("%.13g\n", pose_digest(&same, folded.data(), chain.ours.column_count));
    }
}

void vectors_print(const std::vector<peer_robot> &robots, unsigned poses)
{
    printf("# Sums over the pose and the Jacobian of KDL, see tests/support/poses.h. Made by\n"
           "# ./troupe bench kinematics --vectors %u\n",
           poses);
    for (const peer_robot &robot : robots) {
        for (const peer_chain &chain : robot.chains) {
            print_chain(robot, chain, poses);
        }
    }
}
