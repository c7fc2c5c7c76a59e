"""Counts the classes in an archive with Daft, on this machine or on a Ray cluster.

    python transcripts.py archive --rows 2000
    python example_daft.py 'archive/parquet/*.parquet'
    DAFT_RUNNER=ray python example_daft.py 's3://…/*.parquet'
"""

import sys

import daft
from daft import col
from provstream.engines.daft import extract

transcripts = daft.read_parquet(sys.argv[1])
assertions = extract(transcripts, "text").select("assertions").explode("assertions")
annotations = assertions.select(col("assertions")["annotations"].alias("annotation")).explode("annotation")
classes = annotations.select(col("annotation")["class"].alias("class")).where(col("class").not_null())
classes.groupby("class").agg(col("class").count().alias("annotations")).sort("annotations", desc=True).show()
