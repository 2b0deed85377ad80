"""Runs every query of docs/queries.md in DuckDB over the tables of a scan.

    pip install duckdb
    python3 scripts/queries_in_duckdb.py docs/queries.md VIEWS

VIEWS is what `robocensus views OUT` printed. Prints a line a query; exit code 1 when one fails, 77 when the package duckdb is
not there.
"""

import re
import sys
from pathlib import Path

try:
    import duckdb
except ImportError:
    print("No module named duckdb")
    sys.exit(77)


def main(page, views):
    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    connection.execute(views.read_text())
    text = page.read_text()
    titles = re.findall(r"^## (.*)$", text, re.M)
    queries = re.findall(r"^```sql\n(.*?)^```$", text, re.M | re.S)
    if len(titles) != len(queries):
        print(f"{len(titles)} questions and {len(queries)} queries")
        return 1
    failed = 0
    for title, query in zip(titles, queries):
        try:
            rows = connection.execute(query).fetchall()
            print(f"{len(rows):4} rows  {title}")
        except duckdb.Error as error:
            print(f"FAILED     {title}: {error}")
            failed += 1
    print(f"{len(queries)} queries, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
