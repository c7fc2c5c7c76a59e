"""Counts the assertions that are admitted in an archive with Ray Data, on this machine or on a cluster.

    python transcripts.py archive --rows 2000
    python example_ray.py archive/parquet              # starts Ray on this machine
    RAY_ADDRESS=auto python example_ray.py s3://…      # on the cluster that this machine belongs to
"""

import sys

import pyarrow
import pyarrow.compute
import ray
from provstream.engines.ray import extract


def count(batch: pyarrow.Table) -> pyarrow.Table:
    """The number of assertions and of those that are admitted."""
    found = batch["assertions"].combine_chunks().flatten()
    admitted = pyarrow.compute.sum(found.field("verdict").field("admitted")).as_py() or 0
    return pyarrow.table({"assertions": [len(found)], "admitted": [admitted]})


# With RAY_ADDRESS this connects to the cluster.
ray.init()
transcripts = ray.data.read_parquet(sys.argv[1])
found = extract(transcripts, "text", discipline={"floor": 1, "default_window": "12h"}, now="2026-05-28T12:00:00Z")
print(found.map_batches(count, batch_format="pyarrow").sum(["assertions", "admitted"]))
