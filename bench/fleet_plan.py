"""What a nightly scan of a large organisation takes: machines, hours, money and disk, from measured figures.

    python bench/fleet_plan.py --repositories 10000 --lines 500e6

Nothing is run. Each figure that is measured is an option, whose default is the one that ``bench/README.md`` gives with
its command; a figure that is assumed says so in its help. Sizes are decimal, prices in US dollars.
"""

from __future__ import annotations

import argparse

HOUR = 3600.0


def parsed() -> argparse.Namespace:
    """The figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repositories", default=10_000, help="repositories", type=float)
    parser.add_argument("--lines", default=500e6, help="lines of all of them", type=float)
    parser.add_argument(
        "--changed", default=0.05, help="share of the lines in repositories that change in a day (assumed)", type=float
    )
    parser.add_argument("--window", default=8.0, help="hours that a night has", type=float)
    parser.add_argument("--cpu", default=122.0, help="CPU seconds of a scan for a million lines (compare)", type=float)
    parser.add_argument(
        "--job", default=0.25, help="CPU seconds of the fleet's own processes for a scan (compare)", type=float
    )
    parser.add_argument(
        "--unchanged", default=0.044, help="share of a scan where nothing changed (unchanged.py)", type=float
    )
    parser.add_argument(
        "--wait", default=0.17, help="seconds of a worker for a scan, besides scanning (compare)", type=float
    )
    parser.add_argument("--fetch", default=3.0, help="seconds to fetch a repository of mean size (assumed)", type=float)
    parser.add_argument("--memory", default=32.0, help="GB of memory of a machine", type=float)
    parser.add_argument("--reserved", default=2.0, help="GB for each scan: `memory` of the fleet file", type=float)
    parser.add_argument("--findings", default=127.0, help="findings for a million lines (compare)", type=float)
    parser.add_argument(
        "--row", default=585.0, help="bytes of a finding in the store, scans included (store)", type=float
    )
    parser.add_argument(
        "--cache",
        default=170.0,
        help="MB of cached units for a million lines (django: 27 MB, 158,000 lines)",
        type=float,
    )
    parser.add_argument("--cores", default=16.0, help="processors of a machine", type=float)
    parser.add_argument(
        "--price", default=0.68, help="price of a machine for an hour (c5.4xlarge: 16, 32 GB, on demand)", type=float
    )
    return parser.parse_args()


def main() -> None:
    """Print the table."""
    each = parsed()
    millions = each.lines / 1e6
    fixed = each.repositories * (each.job + each.wait + each.fetch)
    nights = {
        "first night, nothing cached": millions * each.cpu + fixed,
        "night after night": millions * each.cpu * (each.changed + (1 - each.changed) * each.unchanged) + fixed,
    }
    at_a_time = max(1.0, min(each.cores, each.memory // each.reserved))
    print(
        f"{each.repositories:,.0f} repositories, {millions:,.0f} million lines; "
        f"{at_a_time:.0f} scans at a time on a machine"
    )
    print("| | hours of one processor | hours of one machine | machines for the night | money |")
    print("|---|---|---|---|---|")
    for name, seconds in nights.items():
        hours = seconds / HOUR / at_a_time
        machines = max(1, -(-hours // each.window))
        print(f"| {name} | {seconds / HOUR:.1f} | {hours:.1f} | {machines:.0f} | {hours * each.price:.2f} |")
    findings = millions * each.findings
    print(
        f"store: {findings:,.0f} findings, {findings * each.row / 1e6:,.0f} MB; "
        f"cache: {millions * each.cache / 1e3:,.0f} GB"
    )


if __name__ == "__main__":
    main()
