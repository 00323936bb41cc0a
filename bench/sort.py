"""Sorts with DuckDB, two threads: what other times are ratios to.

`sort.py TABLE SORTED` sorts once for every line it is sent, and prints the seconds of sorting the table in memory and those
of reading, sorting and writing the file.
"""

import sys
import time

import duckdb


def sorter(data, columns="*", copies=1):
    """A function that sorts the columns of a table in memory, replicated, by all of them, and gives the seconds."""
    connection = duckdb.connect(config={"threads": 2})
    connection.execute(f"create table once as select {columns} from read_csv('{data}')")
    connection.execute(f"create table many as select once.* from once, range({copies})")
    return timed(connection, "create or replace table sorted as select * from many order by all")


def timed(connection, query):
    def run():
        start = time.perf_counter()
        connection.execute(query)
        return time.perf_counter() - start

    return run


def main():
    data, target = sys.argv[1:3]
    connection = duckdb.connect(config={"threads": 2})
    in_memory = sorter(data)
    from_file = timed(connection, f"copy (select * from read_csv('{data}') order by all) to '{target}'")
    for _ in sys.stdin:
        print(in_memory(), from_file(), flush=True)


if __name__ == "__main__":
    main()
