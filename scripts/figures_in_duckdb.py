"""Runs the query of every figure of a report in DuckDB over the same tables, and compares the whole numbers.

    pip install duckdb
    python3 scripts/figures_in_duckdb.py REPORT

REPORT is a folder that `robocensus report` wrote. Counts, totals, sums and quantiles have to be equal, rows neither missing
nor too many. Prints a line a figure; exit code 1 when one differs, 77 when the package duckdb is not there.
"""

import json
import sys
from pathlib import Path

try:
    import duckdb
except ImportError:
    print("No module named duckdb")
    sys.exit(77)


def statements(text):
    """The statements of a file, each of which ends in a line with nothing but a semicolon."""
    return [part for part in text.split("\n;\n") if part.strip()]


def compared(columns):
    """Columns that hold whole numbers and words; shares and intervals follow from them."""
    return [column for column in columns if column not in ("share", "low", "high")]


def main(report):
    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    for statement in statements((report / "views.sql").read_text()):
        connection.execute(statement)
    data = json.loads((report / "report.json").read_text())
    worse = 0
    for figure in data["figures"]:
        columns = compared(figure["columns"])
        places = [figure["columns"].index(column) for column in columns]
        ours = {tuple(row[place] for place in places) for row in figure["rows"]}
        result = connection.execute(figure["sql"])
        theirs_at = {entry[0]: place for place, entry in enumerate(result.description)}
        rows = [tuple(row[theirs_at[column]] for column in columns) for row in result.fetchall()]
        theirs = set(rows)
        if len(rows) != len(theirs) or len(ours) != len(figure["rows"]):
            print(f"DIFFERS  {figure['id']}: rows that occur twice")
            worse += 1
        elif ours != theirs:
            print(f"DIFFERS  {figure['id']}: {len(ours)} rows here, {len(theirs)} there")
            for name, rows in (("here", ours - theirs), ("there", theirs - ours)):
                for row in sorted(rows, key=str)[:5]:
                    print(f"    only {name}: {row}")
            worse += 1
        else:
            print(f"equal    {figure['id']}: {len(ours)} rows")
    print(f"{len(data['figures'])} figures, {worse} differ")
    return 1 if worse else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
