"""Counts the classes in an archive with DataFusion, on one machine.

    python transcripts.py archive --rows 2000
    python example_datafusion.py 'archive/parquet/*.parquet'
"""

import sys

import provstream

provstream.sql(
    f"""
    select class, count(*) as annotations, count(distinct id * 1000 + assertion) as assertions,
           sum(cast(admitted as int)) as in_admitted
    from assertions('{sys.argv[1]}')
    group by class
    order by annotations desc
    """,
    discipline={"floor": 1, "default_window": "12h"},
    now="2026-05-28T12:00:00Z",
).show()
