#!/usr/bin/env python3
"""A sweep of many workers that share a folder, simulated: how long it takes, and what failures cost.

    sweep_scale.py                            the table of docs/scale.md
    sweep_scale.py --units 100000 --workers 1000 --unit-s 5 --worker-mtbf-h 24

Units take log-normal times. Workers claim batches of units (src/sweep/claims.h: at most 32,768), fail at
random, and are restarted by their scheduler after a while; the batch of a dead worker is taken over by
whoever looks next after the lease. Every claim and every row is one operation of the file server, which
does so many a second, one after the other. Same arguments, same output.
"""
import argparse
import heapq
import math
import random

MOST_BATCHES = 32768


def simulate(units, workers, unit_s, spread, mtbf_s, restart_s, lease_s, server_ops, batches=MOST_BATCHES, seed=1):
    """Seconds until the last row, unit runs lost to failures, batches taken over, the server's busy share."""
    chance = random.Random(seed)
    size = max(1, math.ceil(units / batches))
    fresh = [(first, min(units, first + size)) for first in range(0, units, size)]
    fresh.reverse()
    orphans = []  # (when it may be taken over, first, end)
    server_free = 0.0
    server_busy = 0.0
    lost = taken_over = 0
    mu = math.log(unit_s) - spread * spread / 2
    dies_at = [chance.expovariate(1 / mtbf_s) for _ in range(workers)]
    batch = [None] * workers  # [next unit, end]
    # Time, worker, whether a unit of it ends now.
    events = [(0.0, worker, False) for worker in range(workers)]
    heapq.heapify(events)
    finished = 0
    end = 0.0

    def operation(now):
        nonlocal server_free, server_busy
        server_free = max(server_free, now) + 1 / server_ops
        server_busy += 1 / server_ops
        return server_free

    while finished < units:
        now, worker, is_end = heapq.heappop(events)
        if now >= dies_at[worker]:
            if batch[worker]:
                lost += 1 if is_end else 0
                heapq.heappush(orphans, (dies_at[worker] + lease_s, *batch[worker]))
                batch[worker] = None
            back = dies_at[worker] + restart_s
            dies_at[worker] = back + chance.expovariate(1 / mtbf_s)
            heapq.heappush(events, (max(now, back), worker, False))
            continue
        if is_end:
            now = end = operation(now)
            finished += 1
            batch[worker][0] += 1
            if batch[worker][0] == batch[worker][1]:
                batch[worker] = None
        if batch[worker] is None:
            if fresh:
                batch[worker] = list(fresh.pop())
            elif orphans and orphans[0][0] <= now:
                batch[worker] = list(heapq.heappop(orphans)[1:])
                taken_over += 1
            else:
                if orphans or worker == 0:
                    heapq.heappush(events, (now + 0.5, worker, False))  # it looks again
                continue
            now = operation(now)
        heapq.heappush(events, (now + chance.lognormvariate(mu, spread), worker, True))
    return end, lost, taken_over, server_busy / end


def line(title, units, workers, unit_s, mtbf_h, server_ops, **options):
    took, lost, taken_over, busy = simulate(units, workers, unit_s, options.get("spread", 1.0), mtbf_h * 3600,
                                            options.get("restart_s", 60), options.get("lease_s", 90), server_ops)
    ideal = units * unit_s / workers
    print(f"{title:<44}  {hours(took):>8}  {hours(ideal):>8}  {100 * ideal / took:5.1f} %  {lost:>6}  "
          f"{taken_over:>6}  {100 * busy:5.1f} %")


def hours(seconds):
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--unit-s", type=float, default=5)
    parser.add_argument("--worker-mtbf-h", type=float, default=24)
    parser.add_argument("--server-ops", type=float, default=2000)
    arguments = parser.parse_args()
    print(f"{'':<44}  {'takes':>8}  {'at best':>8}  {'used':>7}  {'lost':>6}  {'taken':>6}  {'server':>7}")
    if arguments.units:
        line("as asked", arguments.units, arguments.workers, arguments.unit_s, arguments.worker_mtbf_h,
             arguments.server_ops)
        return
    line("10^5 units of 5 s, 1,000 workers, no failures", 100_000, 1000, 5, 1e9, 2000)
    line("  a worker dies every 24 h", 100_000, 1000, 5, 24, 2000)
    line("  a worker dies every hour", 100_000, 1000, 5, 1, 2000)
    line("  a worker dies every 10 minutes", 100_000, 1000, 5, 1 / 6, 2000)
    line("10^5 units of 50 ms, 1,000 workers", 100_000, 1000, 0.05, 24, 2000)
    line("  the same, 16 workers", 100_000, 16, 0.05, 24, 2000)
    line("10^6 units of 5 s, 1,000 workers, 24 h", 1_000_000, 1000, 5, 24, 2000)
    line("10^7 units of 5 s, 1,000 workers, 24 h", 10_000_000, 1000, 5, 24, 2000)
    line("  the server does 200 operations a second", 10_000_000, 1000, 5, 24, 200)


if __name__ == "__main__":
    main()
