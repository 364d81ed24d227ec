#include "audit/audit_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::audit {
namespace {

using ::testing::HasSubstr;

RunFigure of(double value) {
  return {value, value};
}

/// A kernel that reads 1 GB, writes 1 GB and does 2e9 operations in a millisecond.
RecordedRun sample_run(const std::string& path = "before") {
  RecordedRun run;
  RunFigures& figures = run.figures;
  figures.path = path;
  figures.kernel = "scale(double*, int) [clone .kd]";
  figures.dispatches = 1;
  figures.duration_ns = of(2e6);
  figures.cycles = of(3.4e6);
  figures.operations = of(2e9);
  figures.lane_requests = of(2.5e8);
  figures.lookups = of(6.3e7);
  figures.written = of(1.6e7);
  figures.written_bytes = of(1e9);
  figures.read_bytes = of(1e9);
  figures.stored_bytes = of(1e9);
  figures.moved_bytes = of(2e9);
  figures.hit_rate_pct = 20;
  figures.cache_bytes = 8e6;
  figures.peak_gb_per_s = 1600;
  figures.clock_mhz = 1700;
  return run;
}

NecessaryWork needed() {
  NecessaryWork work;
  work.job = "scale.toml";
  work.read_bytes = 1'000'000'000;
  work.written_bytes = 1'000'000'000;
  work.operations = 2e9;
  return work;
}

const CheckResult& check(const ProfileAudit& audit, std::string_view id) {
  for (const NamedCheck& one : audit.checks) {
    if (one.id == id) return one.result;
  }
  ADD_FAILURE() << "there is no check " << id;
  return audit.checks.front().result;
}

std::string verdicts(const ProfileAudit& audit) {
  std::string text;
  for (const NamedCheck& one : audit.checks)
    text += std::string(one.id) + " " + verdict_text(one.result.verdict) + "\n";
  return text;
}

void scale(std::optional<RunFigure>& figure, double factor) {
  figure = RunFigure{figure->mean * factor, figure->least * factor};
}

TEST(ProfileAudit, EqualRunsAreTheSameWork) {
  const ProfileAudit audit = audit_profiles(sample_run(), sample_run("after"));
  EXPECT_EQ(audit.verdict(), Verdict::proved) << verdicts(audit);
  EXPECT_EQ(audit.checks.size(), 5U);
  ASSERT_EQ(audit.not_checked.size(), 1U);
  EXPECT_THAT(audit.not_checked[0], HasSubstr("--job"));
}

TEST(ProfileAudit, EveryCheckIsInTheTable) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.work = after.work = needed();
  const ProfileAudit audit = audit_profiles(before, after);
  EXPECT_EQ(audit.checks.size(), 6U);
  for (const NamedCheck& one : audit.checks) EXPECT_NE(find_audit_check(one.id), nullptr) << one.id;
  EXPECT_EQ(audit.verdict(), Verdict::proved) << verdicts(audit);
}

TEST(ProfileAudit, ABetterOrderMovesLessForTheSameRequests) {
  RecordedRun after = sample_run("after");
  scale(after.figures.read_bytes, 0.1);
  scale(after.figures.moved_bytes, 0.55);
  scale(after.figures.duration_ns, 0.6);
  scale(after.figures.cycles, 0.6);
  after.figures.hit_rate_pct = 80;
  const ProfileAudit audit = audit_profiles(sample_run(), after);
  EXPECT_EQ(audit.verdict(), Verdict::proved) << verdicts(audit);
  EXPECT_THAT(check(audit, "speedup").finding, HasSubstr("1.67x"));
  EXPECT_THAT(check(audit, "hit-rate").finding, HasSubstr("memory delivers less"));
}

TEST(ProfileAudit, TilesThatAreDoneOverAndOverMoveLessForTheSameRequestsToo) {
  RecordedRun after = sample_run("after");
  scale(after.figures.read_bytes, 0.01);
  scale(after.figures.stored_bytes, 0.01);
  after.figures.hit_rate_pct = 99;
  const ProfileAudit audit = audit_profiles(sample_run(), after);
  EXPECT_EQ(check(audit, "same-work").verdict, Verdict::unknown);
  EXPECT_EQ(check(audit, "hit-rate").verdict, Verdict::unknown);
  RecordedRun before = sample_run();
  before.work = after.work = needed();
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::refuted);
  // Results that the L2 can hold do not tell.
  before = sample_run(), after = sample_run("after");
  scale(after.figures.read_bytes, 0.01);
  before.figures.stored_bytes = after.figures.stored_bytes = of(1e6);
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::unknown);
}

TEST(ProfileAudit, LessArithmeticIsLessWork) {
  RecordedRun after = sample_run("after");
  scale(after.figures.operations, 0.4);
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "same-work").verdict, Verdict::refuted);
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "speedup").verdict, Verdict::refuted);
  after = sample_run("after");
  for (auto* figure :
       {&after.figures.operations, &after.figures.lane_requests, &after.figures.read_bytes})
    scale(*figure, 0.95);
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "same-work").verdict, Verdict::refuted)
      << "a twentieth of everything is missing";
  // Padding that was left out, say, or a loop that was cut: a job would tell.
  after = sample_run("after");
  scale(after.figures.operations, 0.9);
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "same-work").verdict, Verdict::unknown);
  after = sample_run("after");
  scale(after.figures.operations, 0.985);
  EXPECT_EQ(audit_profiles(sample_run(), after).verdict(), Verdict::proved);
}

TEST(ProfileAudit, EveryDispatchHasToDoTheWork) {
  RecordedRun after = sample_run("after");
  after.figures.dispatches = 15;
  after.figures.operations->least = 0;
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "same-work").verdict, Verdict::refuted);
}

TEST(ProfileAudit, DispatchesMayDifferInSize) {
  RecordedRun before = sample_run();
  for (auto* figure :
       {&before.figures.operations, &before.figures.lane_requests, &before.figures.written,
        &before.figures.read_bytes, &before.figures.stored_bytes})
    (*figure)->least *= 0.1;
  RecordedRun after = before;
  after.figures.path = "after";
  EXPECT_EQ(audit_profiles(before, after).verdict(), Verdict::proved);
  // All of them as small as the smallest is less work.
  for (auto* figure :
       {&after.figures.operations, &after.figures.lane_requests, &after.figures.written,
        &after.figures.read_bytes, &after.figures.stored_bytes})
    (*figure)->mean = (*figure)->least;
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::refuted);
}

TEST(ProfileAudit, WithoutArithmeticTheSameKernelMustAskForTheSame) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.figures.operations = after.figures.operations = std::nullopt;
  EXPECT_EQ(audit_profiles(before, after).verdict(), Verdict::proved);
  scale(after.figures.lane_requests, 1.0 / 32);
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::unknown)
      << "wider loads ask less often for the same bytes";
  scale(after.figures.read_bytes, 1.0 / 64);
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::refuted);
  after.figures.kernel = "scale_tiled(double*, int)";
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::unknown)
      << "another kernel may reuse what it has";
}

TEST(ProfileAudit, NamesOfKernelsAreComparedWithoutTheirParameters) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.figures.operations = after.figures.operations = std::nullopt;
  after.figures.kernel = "scale(double*, long) (.kd)";
  scale(after.figures.lane_requests, 0.5);
  scale(after.figures.read_bytes, 0.5);
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::refuted);
}

TEST(ProfileAudit, FewerWritesAreNotTheSameWork) {
  RecordedRun after = sample_run("after");
  scale(after.figures.written, 0.5);
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "same-work").verdict, Verdict::unknown);
  RecordedRun before = sample_run();
  before.work = after.work = needed();
  scale(after.figures.written_bytes, 0.5);
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::refuted);
}

TEST(ProfileAudit, AHitRateOfLessWorkIsRefuted) {
  RecordedRun after = sample_run("after");
  scale(after.figures.operations, 0.4);
  after.figures.hit_rate_pct = 99;
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "hit-rate").verdict, Verdict::refuted);
  after = sample_run("after");
  after.figures.hit_rate_pct = 40;
  scale(after.figures.read_bytes, 1.5);
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "hit-rate").verdict, Verdict::refuted)
      << "memory delivers more";
  after.figures.hit_rate_pct = 20.4;
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "hit-rate").verdict, Verdict::proved)
      << "half a point is nothing";
}

TEST(ProfileAudit, TimesThatTheClockDoesNotAllow) {
  RecordedRun after = sample_run("after");
  scale(after.figures.duration_ns, 0.7);
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "speedup").verdict, Verdict::refuted);
  RecordedRun before = sample_run();
  scale(before.figures.cycles, 3);
  EXPECT_EQ(check(audit_profiles(before, after), "speedup").verdict, Verdict::proved)
      << "cycles of the first do not fit its time either: they are of another replay";
  after = sample_run("after");
  scale(after.figures.duration_ns, 1e-3);
  scale(after.figures.cycles, 2e-3);
  after.figures.read_bytes = after.figures.moved_bytes = of(1e6);
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "speedup").verdict, Verdict::proved)
      << "of a short kernel, some thousand cycles around it are counted too";
}

TEST(ProfileAudit, WorkOfAJob) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.work = after.work = needed();
  scale(after.figures.read_bytes, 0.5);
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::refuted);
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::refuted);
  after = sample_run("after");
  after.work = needed();
  scale(after.figures.operations, 0.8);
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::refuted);
  // Compilers leave a little out.
  scale(after.figures.operations, 0.95 / 0.8);
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::proved);
}

/// However few tiles are missing, nothing is proved.
TEST(ProfileAudit, MissingTilesAreNeverProved) {
  for (const double share : {0.999999, 0.999, 0.99, 0.981, 0.9801}) {
    for (const bool has_job : {false, true}) {
      for (const bool counts_stores : {false, true}) {
        for (const bool counts_operations : {false, true}) {
          RecordedRun before = sample_run(), after = sample_run("after");
          for (auto* figure :
               {&after.figures.operations, &after.figures.lane_requests, &after.figures.lookups,
                &after.figures.written, &after.figures.written_bytes, &after.figures.read_bytes,
                &after.figures.stored_bytes, &after.figures.moved_bytes})
            scale(*figure, share);
          for (RecordedRun* run : {&before, &after}) {
            if (has_job) run->work = needed();
            if (!counts_stores) run->figures.stored_bytes.reset();
            if (!counts_operations) run->figures.operations.reset();
          }
          const ProfileAudit audit = audit_profiles(before, after);
          EXPECT_NE(check(audit, "same-work").verdict, Verdict::proved) << share << verdicts(audit);
          EXPECT_NE(check(audit, "speedup").verdict, Verdict::proved) << share << verdicts(audit);
          if (!has_job) continue;
          EXPECT_NE(check(audit, "work").verdict, Verdict::proved) << share;
        }
      }
    }
  }
}

/// Writes are counted at their widest, which hides missing ones: the other counters must not.
TEST(ProfileAudit, MissingTilesBehindWideWrites) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.work = after.work = needed();
  for (auto* figure : {&after.figures.operations, &after.figures.read_bytes}) scale(*figure, 0.985);
  scale(after.figures.written_bytes, 1.9);
  after.figures.stored_bytes.reset();
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::unknown);
  after.figures.read_bytes = before.figures.read_bytes;
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::unknown)
      << "operations alone are missing, and nothing shows the results";
}

TEST(ProfileAudit, GapsThatOtherCountersExplain) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.work = after.work = needed();
  scale(after.figures.stored_bytes, 0.995);  // 5 MB of 8 MB that the L2 holds
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::proved)
      << "the last results may still be in the L2";
  scale(after.figures.operations, 0.995);
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::unknown)
      << "both are missing";
  after = sample_run("after");
  after.work = needed();
  scale(after.figures.stored_bytes, 0.985);
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::unknown)
      << "more than the L2 holds";
}

TEST(ProfileAudit, WhatTheCachesHoldNeedNotBeRead) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.figures.cache_bytes = after.figures.cache_bytes = 4e8;
  before.work = after.work = needed();
  scale(after.figures.read_bytes, 0.7);
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::proved)
      << "all results left the L2";
  after.figures.stored_bytes = of(7e8);
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::unknown)
      << "a part may have been done over and over";
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::unknown);
  scale(after.figures.read_bytes, 0.8);
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::refuted);
}

/// Of a launch that the L2 can hold, counters that agree prove nothing if less is read.
TEST(ProfileAudit, SmallLaunches) {
  RecordedRun before = sample_run(), after = sample_run("after");
  for (RecordedRun* run : {&before, &after}) {
    run->figures.read_bytes = run->figures.stored_bytes = of(4e6);
    run->figures.moved_bytes = of(8e6);
  }
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::proved);
  scale(after.figures.read_bytes, 0.1);
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::unknown);
}

TEST(ProfileAudit, APartOfAJobRefutesButDoesNotProve) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.work = after.work = needed();
  before.work->whole = after.work->whole = false;
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::unknown);
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::proved)
      << "counters agree";
  scale(after.figures.read_bytes, 0.5);
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::refuted);
}

TEST(ProfileAudit, ResultsThatDoNotLeave) {
  RecordedRun before = sample_run(), after = sample_run("after");
  scale(after.figures.stored_bytes, 0.01);
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::unknown);
  before.work = after.work = needed();
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::refuted);
}

/// A job that is smaller than both runs does not make them the same.
TEST(ProfileAudit, AJobDoesNotHideWhatCountersShow) {
  RecordedRun before = sample_run(), after = sample_run("after");
  for (auto* figure : {&after.figures.operations, &after.figures.lane_requests,
                       &after.figures.read_bytes, &after.figures.stored_bytes})
    scale(*figure, 0.45);
  before.work = after.work = needed();
  before.work->read_bytes = after.work->read_bytes = 1'000'000;
  before.work->written_bytes = after.work->written_bytes = 1'000'000;
  before.work->operations = after.work->operations = 1e6;
  EXPECT_EQ(check(audit_profiles(before, after), "work").verdict, Verdict::proved);
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::refuted);
}

TEST(ProfileAudit, BaselinesOnALowerClockOrWithAnOutlier) {
  RecordedRun before = sample_run();
  scale(before.figures.duration_ns, 3);
  EXPECT_EQ(check(audit_profiles(before, sample_run("after")), "speedup").verdict, Verdict::unknown)
      << "as many cycles";
  before = sample_run();
  before.figures.duration_ns->mean *= 10;
  before.figures.cycles->mean *= 10;
  EXPECT_EQ(check(audit_profiles(before, sample_run("after")), "speedup").verdict, Verdict::unknown)
      << "the shortest launches are alike";
  before = sample_run();
  before.figures.hardware = "38 CUs";
  EXPECT_EQ(check(audit_profiles(before, sample_run("after")), "speedup").verdict,
            Verdict::unknown);
}

TEST(ProfileAudit, RunsThatDidNothing) {
  RecordedRun before = sample_run();
  for (auto* figure : {&before.figures.operations, &before.figures.lane_requests,
                       &before.figures.lookups, &before.figures.written})
    figure->emplace();
  RecordedRun after = before;
  EXPECT_EQ(check(audit_profiles(before, after), "same-work").verdict, Verdict::unknown);
}

TEST(ProfileAudit, JobsThatNeedLess) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.work = after.work = needed();
  after.work->job = "small.toml";
  after.work->read_bytes /= 2;
  const ProfileAudit audit = audit_profiles(before, after);
  EXPECT_EQ(check(audit, "same-work").verdict, Verdict::refuted);
  EXPECT_THAT(check(audit, "same-work").evidence.front(), HasSubstr("small.toml only 500 MB"));
}

TEST(ProfileAudit, ATimeBelowTheBoundOfItsBytes) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.work = after.work = needed();
  after.figures.duration_ns = of(1e6);
  after.figures.cycles = of(1.7e6);
  const ProfileAudit audit = audit_profiles(before, after);
  EXPECT_EQ(check(audit, "bound").verdict, Verdict::refuted);
  EXPECT_EQ(check(audit, "speedup").verdict, Verdict::refuted);
}

TEST(ProfileAudit, FindingsOfImpossibleRatesRefuteTheBound) {
  RecordedRun after = sample_run("after");
  after.findings.push_back({"impossible-bandwidth", "memory, dispatch 0", "5 GB in 1 ns", ""});
  const ProfileAudit audit = audit_profiles(sample_run(), after);
  EXPECT_EQ(check(audit, "bound").verdict, Verdict::refuted);
  EXPECT_EQ(check(audit, "recording").verdict, Verdict::proved);
}

TEST(ProfileAudit, NothingFollowsFromARecordingThatContradictsItself) {
  for (const char* id : {"frozen-counters", "part-exceeds-whole", "negative-counter"}) {
    RecordedRun after = sample_run("after");
    scale(after.figures.operations, 0.5);
    after.findings.push_back({id, "dispatch 0", "some figures", ""});
    after.findings.push_back({"impossible-bandwidth", "memory", "more", ""});
    const ProfileAudit audit = audit_profiles(sample_run(), after);
    for (const NamedCheck& one : audit.checks)
      EXPECT_EQ(one.result.verdict, Verdict::unknown) << id << ": " << one.id;
  }
}

TEST(ProfileAudit, WithoutCountersNothingIsProved) {
  RecordedRun bare;
  bare.figures.path = "bare";
  bare.figures.dispatches = 1;
  bare.work = needed();
  const ProfileAudit audit = audit_profiles(bare, bare);
  for (const NamedCheck& one : audit.checks) {
    if (one.id == "recording") continue;
    EXPECT_EQ(one.result.verdict, Verdict::unknown) << one.id;
    EXPECT_FALSE(one.result.finding.empty()) << one.id;
  }
}

TEST(ProfileAudit, MoreWorkIsNotTheSameEither) {
  RecordedRun before = sample_run();
  for (auto* figure : {&before.figures.operations, &before.figures.lane_requests,
                       &before.figures.read_bytes, &before.figures.moved_bytes})
    scale(*figure, 0.1);
  EXPECT_EQ(check(audit_profiles(before, sample_run("after")), "same-work").verdict,
            Verdict::refuted);
}

TEST(ProfileAudit, OtherGpusHaveOtherTimes) {
  RecordedRun before = sample_run(), after = sample_run("after");
  before.figures.gpu = "MI200";
  after.figures.gpu = "MI300X_A1";
  const ProfileAudit audit = audit_profiles(before, after);
  EXPECT_EQ(check(audit, "speedup").verdict, Verdict::unknown);
  EXPECT_EQ(check(audit, "same-work").verdict, Verdict::proved);
}

TEST(ProfileAudit, BytesBeyondThePeak) {
  RecordedRun after = sample_run("after");
  scale(after.figures.moved_bytes, 2.1);
  EXPECT_EQ(check(audit_profiles(sample_run(), after), "bound").verdict, Verdict::refuted);
}

/// Whatever is missing, a verdict on less work is never PROVED.
TEST(ProfileAudit, NoFigureThatIsMissingHidesACheat) {
  using Member = std::optional<RunFigure> RunFigures::*;
  const Member members[] = {
      &RunFigures::duration_ns,   &RunFigures::cycles,     &RunFigures::operations,
      &RunFigures::lane_requests, &RunFigures::lookups,    &RunFigures::written,
      &RunFigures::written_bytes, &RunFigures::read_bytes, &RunFigures::moved_bytes};
  for (unsigned missing = 0; missing < 512; ++missing) {
    RecordedRun before = sample_run(), after = sample_run("after");
    for (std::size_t i = 0; i < std::size(members); ++i) {
      scale(after.figures.*members[i], 0.5);
      if ((missing >> i & 1U) != 0) (after.figures.*members[i]).reset();
    }
    EXPECT_NE(audit_profiles(before, after).verdict(), Verdict::proved) << missing;
    before.work = after.work = needed();
    EXPECT_NE(audit_profiles(before, after).verdict(), Verdict::proved) << missing;
    // A part that is done over and over asks for as much, and moves less.
    before = sample_run(), after = sample_run("after");
    scale(after.figures.read_bytes, 0.01);
    scale(after.figures.stored_bytes, 0.01);
    scale(after.figures.moved_bytes, 0.01);
    for (std::size_t i = 0; i < std::size(members); ++i) {
      if ((missing >> i & 1U) != 0) (after.figures.*members[i]).reset();
    }
    EXPECT_NE(audit_profiles(before, after).verdict(), Verdict::proved) << missing;
  }
}

TEST(AuditChecks, AreExplained) {
  for (const CheckKind& kind : audit_checks()) {
    EXPECT_EQ(find_audit_check(kind.id), &kind) << "twice: " << kind.id;
    EXPECT_LT(kind.summary.size(), 90U) << kind.id;
    EXPECT_GT(kind.explanation.size(), 150U) << kind.id;
    EXPECT_TRUE(kind.explanation.ends_with('.')) << kind.id;
    EXPECT_FALSE(kind.judges.empty()) << kind.id;
    EXPECT_FALSE(kind.cheats.empty()) << kind.id;
  }
  EXPECT_EQ(find_audit_check("no-such"), nullptr);
  EXPECT_EQ(find_audit_check("SAME-Work"), find_audit_check("same-work"));
}

}  // namespace
}  // namespace heddle::audit
