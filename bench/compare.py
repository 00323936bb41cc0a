"""Compares the publishers with a DuckDB sort of the same in-memory table by all its columns, two threads each.

Times are the best of several runs, DuckDB and publishers in turn; what counts are ratios in one run.
"""

import json
import os
import platform
import subprocess
import sys

import duckdb

from sort import sorter

PROGRAM, DATA = sys.argv[1:3]
QUASI, SENSITIVE, L = ["age", "gender", "education", "birthplace"], "occupation", 8
COPIES, ROUNDS = (1, 14), 4


def publish(publisher, copies):
    arguments = [PROGRAM, DATA, ",".join(QUASI), SENSITIVE, publisher, str(L), str(copies), "2"]
    environment = {**os.environ, "RAYON_NUM_THREADS": "2"}
    printed = subprocess.run(arguments, check=True, capture_output=True, text=True, env=environment).stdout
    return json.loads(printed)


def measure(copies):
    sort = sorter(DATA, ", ".join([*QUASI, SENSITIVE]), copies)
    sort()
    best = {"sort": float("inf")}
    facts = {}
    for _ in range(ROUNDS):
        best["sort"] = min(best["sort"], sort())
        for publisher in ("tailor", "ace", "hybrid"):
            facts[publisher] = result = publish(publisher, copies)
            best[publisher] = min([best.get(publisher, float("inf")), *result["seconds"]])
    return best, facts


def main():
    print(f"{platform.machine()}, {os.cpu_count()} cores, DuckDB {duckdb.__version__}, l = {L}, best of {2 * ROUNDS}")
    header = f"{'rows':>10} {'publisher':>10} {'groups':>9} {'seconds':>8} {'sort':>7} {'ratio':>6} {'bytes/row':>9}"
    print(header)
    hybrid, rows = {}, {}
    for copies in COPIES:
        best, facts = measure(copies)
        for publisher, result in facts.items():
            seconds, memory = best[publisher], result["peak_bytes_per_row"]
            ratio = seconds / best["sort"]
            print(
                f"{result['rows']:>10} {publisher:>10} {result['groups']:>9} {seconds:>8.3f} {best['sort']:>7.3f}"
                f" {ratio:>6.2f} {memory:>9.1f}"
            )
        hybrid[copies] = (best["hybrid"], best["hybrid"] / best["sort"], facts["hybrid"]["peak_bytes_per_row"])
        rows[copies] = facts["hybrid"]["rows"]
    small, large = COPIES
    growth = (hybrid[large][0] / hybrid[small][0]) / (rows[large] / rows[small])
    bars = [
        (f"hybrid at {rows[large]} rows, times the sort", hybrid[large][1], 2.0),
        ("growth of its time over growth of the rows", growth, 1.3),
        ("bytes per row at most", max(hybrid[small][2], hybrid[large][2]), 60.0),
    ]
    for words, value, bar in bars:
        print(f"{'met   ' if value <= bar else 'MISSED'} {words}: {value:.2f} (bar {bar})")


main()
