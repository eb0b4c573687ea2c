/*
 * kinematics_bench.cpp - our kinematics beside KDL, on every robot of a folder.
 *
 * Both read the same files with different readers. Every chain from the root to a leaf is compared
 * in random poses within its limits. Times are those of the same run, taken in turns. KDL knows no
 * joints that mimic others: it gets their values, and its Jacobian is folded as ours is.
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <random>
#include <set>

#include "kinematics/peer.hpp"

#define _Noreturn [[noreturn]]
extern "C" {
#include "bench.h"
}

static const char help[] =
    "usage: ./troupe bench kinematics [FOLDER|FILE...] [--quick] [--poses N] [--inverse N]\n"
    "                                 [--vectors N]\n\n"
    "Forward kinematics, Jacobian and inverse of all robots (*.urdf) of a folder, by default "
    "robots,\n"
    "beside KDL. Fails if a result differs by more than 1e-9, if a limit is violated, or if ours\n"
    "solves fewer poses within limits than a solver of KDL or fewer than 95 %.\n"
    "--poses sets the number of poses for each chain (10000), --inverse another one for the "
    "inverse;\n"
    "--quick is --poses 300. --vectors only prints what KDL gives in N poses of each chain, for "
    "tests:\n"
    "./troupe bench kinematics --vectors 1250 > tests/data/kdl_vectors.txt\n";

static const double most_difference = 1e-9; /* m, rad, and those per unit of a joint */
static const double reached = 1e-5;         /* how near a solution of the inverse is */

struct options {
    std::vector<std::string> paths;
    unsigned poses = 10000, inverse = 10000; /* of each chain */
    unsigned vectors = 0;
};

/* A pose of a chain: values of all dofs for ours, of the joints for KDL. */
struct pose {
    std::vector<double> ours;
    KDL::JntArray theirs;
};

/* ---- Poses ---- */

/* Whether all dofs that the chain moves are within their limits, also followers beside the chain.
 */
static bool is_within(const peer_chain &chain, const double *values)
{
    const tpi_mechanism *m = chain.ours.mechanism;

    for (unsigned i = 0; i < m->dof_count; i++) {
        const int column = m->dofs[i].master < 0 ? (int)i : m->dofs[i].master;
        const int *end = chain.ours.columns + chain.ours.column_count;
        if (std::find(chain.ours.columns, end, column) != end &&
            !(values[i] >= m->dofs[i].lower - 1e-9 && values[i] <= m->dofs[i].upper + 1e-9)) {
            return false;
        }
    }
    return true;
}

static void set_theirs(const peer_chain &chain, pose &at)
{
    for (unsigned i = 0; i < chain.ours.step_count; i++) {
        at.theirs(i) = at.ours[(size_t)chain.ours.steps[i].dof];
    }
}

/* Values within the limits, also those of joints that mimic. */
static pose random_pose(const peer_chain &chain, std::mt19937_64 &random)
{
    pose at = {std::vector<double>(chain.ours.mechanism->dof_count),
               KDL::JntArray(chain.ours.step_count)};

    for (int tries = 0; tries < 1000; tries++) {
        for (unsigned k = 0; k < chain.ours.column_count; k++) {
            const tpi_dof &dof = chain.ours.mechanism->dofs[chain.ours.columns[k]];
            const double usual = dof.type == TPI_REVOLUTE ? TPI_PI : 1;
            const double lower = std::isfinite(dof.lower) ? dof.lower : -usual;
            const double upper = std::isfinite(dof.upper) ? dof.upper : usual;
            at.ours[(size_t)chain.ours.columns[k]] =
                std::uniform_real_distribution<double>(lower, upper)(random);
        }
        tpi_mechanism_follow(chain.ours.mechanism, at.ours.data());
        if (is_within(chain, at.ours.data())) {
            break;
        }
    }
    set_theirs(chain, at);
    return at;
}

/* ---- Forward and Jacobian ---- */

static double difference(const tpi_spatial &ours, const KDL::Frame &theirs)
{
    double most = 0;

    for (int i = 0; i < 9; i++) {
        most = std::max(most, std::fabs(ours.r[i] - theirs.M.data[i]));
    }
    for (int i = 0; i < 3; i++) {
        most = std::max(most, std::fabs(ours.p[i] - theirs.p.data[i]));
    }
    return most;
}

static double difference(const peer_chain &chain, const double *ours, const KDL::Jacobian &theirs)
{
    const std::vector<double> folded = peer_fold(chain, theirs);
    double most = 0;

    for (size_t i = 0; i < folded.size(); i++) {
        most = std::max(most, std::fabs(ours[i] - folded[i]));
    }
    return most;
}

/* What is timed: a chain in poses that differ. */
struct race {
    const peer_chain *chain;
    std::vector<pose> poses;
    KDL::ChainFkSolverPos_recursive forward;
    KDL::ChainJntToJacSolver jacobian;
    KDL::Jacobian columns;
    double sum = 0; /* so that nothing is left out */

    explicit race(const peer_chain &of)
        : chain(&of), forward(of.theirs), jacobian(of.theirs), columns(of.ours.step_count)
    {
    }
    const pose &at(size_t i) const
    {
        return poses[i % poses.size()];
    }
};

static void our_forward(void *context, size_t times)
{
    race &r = *static_cast<race *>(context);
    tpi_spatial tip;

    for (size_t i = 0; i < times; i++) {
        tpi_chain_forward(&r.chain->ours, r.at(i).ours.data(), &tip);
        r.sum += tip.p[0];
    }
}

static void their_forward(void *context, size_t times)
{
    race &r = *static_cast<race *>(context);
    KDL::Frame tip;

    for (size_t i = 0; i < times; i++) {
        r.forward.JntToCart(r.at(i).theirs, tip);
        r.sum += tip.p.data[0];
    }
}

static void our_jacobian(void *context, size_t times)
{
    race &r = *static_cast<race *>(context);
    double jacobian[6 * TPI_CHAIN_DOFS];
    tpi_spatial tip;

    for (size_t i = 0; i < times; i++) {
        tpi_chain_jacobian(&r.chain->ours, r.at(i).ours.data(), jacobian, &tip);
        r.sum += jacobian[0];
    }
}

static void their_jacobian(void *context, size_t times)
{
    race &r = *static_cast<race *>(context);

    for (size_t i = 0; i < times; i++) {
        r.jacobian.JntToJac(r.at(i).theirs, r.columns);
        r.sum += r.columns(0, 0);
    }
}

/* The worst of a robot's chains. */
struct worst {
    double forward = 0, jacobian = 0;             /* differences */
    double forward_ratio = 0, jacobian_ratio = 0; /* our time by theirs */
    double forward_ns = 0, jacobian_ns = 0;       /* our time in that chain */
};

/* Compare a chain in random poses; `timed` also measures it. */
static void compare(const peer_chain &chain, unsigned poses, std::mt19937_64 &random, bool timed,
                    worst &result)
{
    double jacobian[6 * TPI_CHAIN_DOFS];
    race r(chain);

    for (unsigned i = 0; i < poses; i++) {
        const pose at = random_pose(chain, random);
        tpi_spatial ours;
        KDL::Frame theirs;

        tpi_chain_forward(&chain.ours, at.ours.data(), &ours);
        r.forward.JntToCart(at.theirs, theirs);
        result.forward = std::max(result.forward, difference(ours, theirs));
        tpi_chain_jacobian(&chain.ours, at.ours.data(), jacobian, &ours);
        r.jacobian.JntToJac(at.theirs, r.columns);
        result.jacobian = std::max(result.jacobian, difference(chain, jacobian, r.columns));
        if (i < 64) {
            r.poses.push_back(at);
        }
    }
    if (!timed) {
        return;
    }
    bench_candidate all[] = {{"", our_forward, &r, 0},
                             {"", their_forward, &r, 0},
                             {"", our_jacobian, &r, 0},
                             {"", their_jacobian, &r, 0}};
    bench_race(all, 4);
    if (all[0].best_ns / all[1].best_ns > result.forward_ratio) {
        result.forward_ratio = all[0].best_ns / all[1].best_ns;
        result.forward_ns = all[0].best_ns;
    }
    if (all[2].best_ns / all[3].best_ns > result.jacobian_ratio) {
        result.jacobian_ratio = all[2].best_ns / all[3].best_ns;
        result.jacobian_ns = all[2].best_ns;
    }
}

/* ---- Inverse ---- */

enum { NR, NR_JL, LMA, SOLVERS };

struct tally {
    unsigned ours = 0, violated = 0;
    unsigned theirs[SOLVERS] = {0}; /* reached, within limits or not */
    unsigned within[SOLVERS] = {0}; /* of these, with all limits kept */
    double our_s = 0, their_s[SOLVERS] = {0};
};

/* Seconds since a time. */
static double since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/* The solvers of KDL for a chain. */
struct solvers {
    KDL::ChainFkSolverPos_recursive forward;
    KDL::ChainIkSolverVel_pinv speed;
    KDL::ChainIkSolverPos_NR nr;
    KDL::ChainIkSolverPos_NR_JL nr_jl;
    KDL::ChainIkSolverPos_LMA lma;

    solvers(const peer_chain &chain, const KDL::JntArray &lower, const KDL::JntArray &upper)
        : forward(chain.theirs), speed(chain.theirs), nr(chain.theirs, forward, speed, 100, 1e-6),
          nr_jl(chain.theirs, lower, upper, forward, speed, 100, 1e-6),
          lma(chain.theirs, 1e-6, 500, 1e-15)
    {
    }
    KDL::ChainIkSolverPos &operator[](int which)
    {
        return which == NR      ? static_cast<KDL::ChainIkSolverPos &>(nr)
               : which == NR_JL ? static_cast<KDL::ChainIkSolverPos &>(nr_jl)
                                : lma;
    }
};

static bool is_at(const KDL::Frame &goal, const KDL::Frame &tip)
{
    const KDL::Twist between = KDL::diff(tip, goal);

    return between.vel.Norm() <= reached && between.rot.Norm() <= reached;
}

/* Whether all joints of KDL are within their limits; turns do not count without them. */
static bool is_within(const peer_chain &chain, const KDL::JntArray &q)
{
    for (unsigned i = 0; i < chain.ours.step_count; i++) {
        if (chain.bounded[i] && !(q(i) >= chain.lower[i] - 1e-9 && q(i) <= chain.upper[i] + 1e-9)) {
            return false;
        }
    }
    return true;
}

static void solve_theirs(const peer_chain &chain, solvers &all, const KDL::JntArray &start,
                         const KDL::Frame &goal, tally &result)
{
    for (int k = 0; k < SOLVERS; k++) {
        KDL::JntArray found(start);
        KDL::Frame tip;

        const auto began = std::chrono::steady_clock::now();
        all[k].CartToJnt(start, goal, found);
        result.their_s[k] += since(began);
        if (all.forward.JntToCart(found, tip) >= 0 && is_at(goal, tip)) {
            result.theirs[k]++;
            result.within[k] += is_within(chain, found);
        }
    }
}

static tally invert(const peer_chain &chain, unsigned poses, std::mt19937_64 &random)
{
    const unsigned n = chain.ours.step_count;
    KDL::JntArray lower(n), upper(n);
    pose start = {std::vector<double>(chain.ours.mechanism->dof_count), KDL::JntArray(n)};
    tally result;

    for (unsigned i = 0; i < n; i++) {
        lower(i) = chain.bounded[i] ? chain.lower[i] : -1e3;
        upper(i) = chain.bounded[i] ? chain.upper[i] : 1e3;
        start.ours[(size_t)chain.ours.steps[i].dof] = (chain.lower[i] + chain.upper[i]) / 2;
    }
    tpi_mechanism_follow(chain.ours.mechanism, start.ours.data());
    set_theirs(chain, start);
    solvers all(chain, lower, upper);
    for (unsigned i = 0; i < poses; i++) {
        const pose wanted = random_pose(chain, random);
        std::vector<double> found(start.ours);
        tpi_spatial goal, tip;
        KDL::Frame same;

        tpi_chain_forward(&chain.ours, wanted.ours.data(), &goal);
        std::copy(goal.r, goal.r + 9, same.M.data);
        std::copy(goal.p, goal.p + 3, same.p.data);
        const auto began = std::chrono::steady_clock::now();
        const bool solved = tpi_chain_inverse(&chain.ours, &goal, found.data(), nullptr) == TP_OK;
        result.our_s += since(began);
        tpi_chain_forward(&chain.ours, found.data(), &tip);
        KDL::Frame reached_frame;
        std::copy(tip.r, tip.r + 9, reached_frame.M.data);
        std::copy(tip.p, tip.p + 3, reached_frame.p.data);
        result.ours += solved && is_at(same, reached_frame);
        result.violated += !is_within(chain, found.data());
        solve_theirs(chain, all, start.theirs, same, result);
    }
    return result;
}

/* ---- Everything ---- */

/* Chains that end in different links behind the same joints are measured and solved once. */
struct distinct {
    std::set<std::vector<int>> seen;

    bool is_new(const peer_chain &chain)
    {
        const int *columns = chain.ours.columns;
        return seen.insert(std::vector<int>(columns, columns + chain.ours.column_count)).second;
    }
};

static bool print_inverse(const std::string &robot, const peer_chain &chain, unsigned poses,
                          const tally &t)
{
    const double part = 100.0 / poses;
    bool good = t.violated == 0 && t.ours >= 0.95 * poses;

    printf("%-16.16s %-22.22s %4u %6.1f", robot.c_str(), chain.tip.c_str(), chain.ours.column_count,
           t.ours * part);
    for (int k = 0; k < SOLVERS; k++) {
        /* Without the relation of joints that mimic, other poses can be reached. */
        good = good && (chain.has_mimics || t.ours >= t.within[k]);
        printf(" %5.1f/%5.1f", t.within[k] * part, t.theirs[k] * part);
    }
    printf("%s\n", t.violated > 0 ? " limits violated" : good ? "" : " *");
    fflush(stdout);
    return good;
}

static bool compare_all(std::vector<peer_robot> &robots, unsigned poses)
{
    bool good = true;

    printf("%-18s %6s %9s %9s %16s %16s\n", "ROBOT", "CHAINS", "FORWARD", "JACOBIAN",
           "FORWARD TIME", "JACOBIAN TIME");
    for (peer_robot &robot : robots) {
        std::mt19937_64 random(1);
        distinct chains;
        worst result;

        for (const peer_chain &chain : robot.chains) {
            compare(chain, poses, random, chains.is_new(chain), result);
        }
        printf("%-18.18s %6zu %9.1e %9.1e %6.0f ns %4.2f x %6.0f ns %4.2f x\n", robot.name.c_str(),
               robot.chains.size(), result.forward, result.jacobian, result.forward_ns,
               result.forward_ratio, result.jacobian_ns, result.jacobian_ratio);
        fflush(stdout);
        good = good && result.forward <= most_difference && result.jacobian <= most_difference;
        if (!robot.left_out.empty()) {
            printf("  not in KDL:%s\n", robot.left_out.c_str());
        }
    }
    return good;
}

static bool invert_all(std::vector<peer_robot> &robots, unsigned poses)
{
    bool good = true;
    tally all;
    unsigned solved = 0;

    printf("\nSolved of %u poses, in percent; of KDL: within limits / at all\n", poses);
    printf("%-16s %-22s %4s %6s %11s %11s %11s\n", "ROBOT", "TIP", "DOFS", "OURS", "NR", "NR_JL",
           "LMA");
    for (peer_robot &robot : robots) {
        distinct chains;

        for (const peer_chain &chain : robot.chains) {
            std::mt19937_64 random(2);

            if (chain.ours.column_count >= 6 && chains.is_new(chain)) {
                const tally t = invert(chain, poses, random);
                good = print_inverse(robot.name, chain, poses, t) && good;
                solved += poses;
                all.our_s += t.our_s;
                for (int k = 0; k < SOLVERS; k++) {
                    all.their_s[k] += t.their_s[k];
                }
            }
        }
    }
    if (solved > 0) { /* solved or not; KDL makes one try, ours up to 101 */
        printf("Mean time in us %34.0f %11.0f %11.0f %11.0f\n", 1e6 * all.our_s / solved,
               1e6 * all.their_s[NR] / solved, 1e6 * all.their_s[NR_JL] / solved,
               1e6 * all.their_s[LMA] / solved);
    }
    return good;
}

static options read_options(int argc, char **argv)
{
    options o;

    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "--quick") {
            o.poses = o.inverse = 300;
        } else if (word == "--poses" && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            o.poses = o.inverse = (unsigned)atoi(argv[++i]);
        } else if (word == "--inverse" && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            o.inverse = (unsigned)atoi(argv[++i]);
        } else if (word == "--vectors" && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            o.vectors = (unsigned)atoi(argv[++i]);
        } else if (word == "--help") {
            fputs(help, stdout);
            exit(0);
        } else if (word[0] == '-') {
            bench_give_up("unexpected \"%s\"\n%s", argv[i], help);
        } else {
            o.paths.push_back(word);
        }
    }
    if (o.paths.empty()) {
        o.paths.push_back(BENCH_ROBOTS);
    }
    return o;
}

int main(int argc, char **argv)
{
    const options o = read_options(argc, argv);
    const std::vector<std::string> files = peer_files(o.paths);
    std::vector<peer_robot> robots(files.size());
    bool good = !files.empty();

    for (size_t i = 0; i < files.size(); i++) {
        std::string why;
        if (!peer_read(robots[i], files[i], why)) {
            fprintf(stderr, "%s\n", why.c_str());
            good = false;
        }
    }
    if (o.vectors > 0) {
        vectors_print(robots, o.vectors);
        return good ? 0 : 1;
    }
    const bool same = compare_all(robots, o.poses);
    return invert_all(robots, o.inverse) && same && good ? 0 : 1;
}
