"""Counts the classes in an archive with Spark, on this machine or on a cluster.

    python transcripts.py archive --rows 2000
    python example_spark.py archive/parquet                                      # on this machine
    spark-submit --master yarn example_spark.py s3a://…                          # on a cluster
"""

import sys

from provstream.engines.spark import extract
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, explode

spark = SparkSession.builder.appName("classes").getOrCreate()
transcripts = spark.read.parquet(sys.argv[1])
assertions = extract(transcripts, "text").select("id", explode("assertions").alias("assertion"))
annotations = assertions.select(explode("assertion.annotations").alias("annotation"))
annotations.groupBy("annotation.class").count().orderBy(col("count").desc()).show(truncate=False)
spark.stop()
