// Families that map a launch id to a tile id along one line.
#include "order/families/list.h"

namespace heddle::order {

const Family kIdentity = {"identity", FamilyKind::line,         {}, "the launch order itself",
                          R"(
def identity(t, n):
    return t
)",
                          R"(
def identity_inverse(t, n):
    return t
)",        "every id maps to itself"};

const Family kReverse = {"reverse", FamilyKind::line,
                         {},        "last tile first",
                         R"(
def reverse(t, n):
    return n - 1 - t
)",
                         R"(
def reverse_inverse(t, n):
    return n - 1 - t
)",       "n-1-t lies in 0..n-1 and is its own inverse"};

const Family kXcd = {"xcd",
                     FamilyKind::line,
                     {"dies"},
                     "each die takes one contiguous run of tiles",
                     R"(
def xcd(t, n, dies):
    die = t % dies
    return die * (n // dies) + min(die, n % dies) + t // dies
)",
                     R"(
def xcd_inverse(t, n, dies):
    run = n // dies
    longer = n % dies
    split = longer * run + longer
    if t < split:
        return t % (run + 1) * dies + t // (run + 1)
    return (t - split) % run * dies + longer + (t - split) // run
)",
                     "die d owns the ids d, d+dies, ...: n//dies of them, one more where d < "
                     "n%dies. Its run begins at "
                     "d*(n//dies) + min(d, n%dies), where the runs of the dies before it end, and "
                     "t//dies counts through it. "
                     "Every partial sum is at most the tile, hence below n"};

const Family kXcdTail = {"xcd_tail",
                         FamilyKind::line,
                         {"dies"},
                         "as xcd, but the last n%dies tiles stay where they are",
                         R"(
def xcd_tail(t, n, dies):
    run = n // dies
    if t >= run * dies:
        return t
    return t % dies * run + t // dies
)",
                         R"(
def xcd_tail_inverse(t, n, dies):
    run = n // dies
    if t >= run * dies:
        return t
    return t % run * dies + t // run
)",
                         "ids from run*dies on map to themselves; below, t = run-index*dies + die "
                         "goes to die*run + run-index, "
                         "a transposition of a dies x run rectangle. All products are at most n"};

const Family kXcdChunk = {"xcd_chunk",
                          FamilyKind::line,
                          {"dies", "chunk"},
                          "each die takes chunks of consecutive tiles in turn",
                          R"(
def xcd_chunk(t, n, dies, chunk):
    whole = n // (dies * chunk) * (dies * chunk)
    if t >= whole:
        return t
    local = t // dies
    return local // chunk * (dies * chunk) + t % dies * chunk + local % chunk
)",
                          R"(
def xcd_chunk_inverse(t, n, dies, chunk):
    whole = n // (dies * chunk) * (dies * chunk)
    if t >= whole:
        return t
    inside = t % (dies * chunk)
    return (t // (dies * chunk) * chunk + inside % chunk) * dies + inside // chunk
)",
                          "ids past the last whole round of dies*chunk map to themselves; in a "
                          "round, t = (index*dies + die) goes to "
                          "die*chunk + index, a transposition of a chunk x dies rectangle. "
                          "dies*chunk is checked to be below 2^31"};

const Family kXcdPanel = {"xcd_panel",
                          FamilyKind::line,
                          {"dies", "panel"},
                          "as xcd_tail, inside panels of consecutive ids",
                          R"(
def xcd_panel(t, n, dies, panel):
    first = t // panel * panel
    inside = t - first
    run = min(panel, n - first) // dies
    if inside >= run * dies:
        return t
    return first + inside % dies * run + inside // dies
)",
                          R"(
def xcd_panel_inverse(t, n, dies, panel):
    first = t // panel * panel
    inside = t - first
    run = min(panel, n - first) // dies
    if inside >= run * dies:
        return t
    return first + inside % run * dies + inside // run
)",
                          "ids stay in their panel first..first+size-1 (the last one may be "
                          "shorter), and inside it xcd_tail's "
                          "argument holds with n = size"};

}  // namespace heddle::order
