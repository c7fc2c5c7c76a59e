"""Reads an archive of transcripts with one engine, and measures it beside a Python function with `re`.

    python archive.py reference FOLDER --program PATH
    python archive.py run ENGINE FOLDER [--function provstream|re] [--kill]
    python archive.py table FOLDER [--engines datafusion,daft,ray,spark]

`reference` extracts with `provstream.arrow` alone, compares each row with what the command line at PATH prints, and writes
`FOLDER/reference.parquet` if there is no difference. `run` reads `FOLDER/parquet` (`transcripts.py` writes it), extracts, and writes
the ids, assertions and diagnostics as Parquet. It prints a line of JSON: seconds from the first row that is asked for to the last
file that is written, without the start of the engine, processor seconds and most memory of the process and all that it started
(proportional set size, so that what they share counts once), text read a second, and how many rows differ from the reference.
`--kill` kills a worker (Ray) or an executor (Spark) with SIGKILL in mid-job. `table` does all this for each engine and function, one
after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import compare
import pyarrow
import pyarrow.compute
import pyarrow.parquet
from provstream.engines import Extractor

#: Workers of every engine.
WORKERS = 2

PATTERN = re.compile(
    r"\[(substrate(?:\.[a-z-]+)+|unverified-inference|decayed-to-uncertainty)((?:;\s*[A-Za-z_-]+=[^\];]*)*)\]"
)
START = re.compile(r"[.!?]\s+|\n\n")


class PythonRe(Extractor):
    """What one would write without provstream: a function of Python for each text, with `re`.

    It takes the text back to the last end of a sentence for the assertion. It knows no code, no JSON, no quotes, no malformed
    annotations and no abbreviations, so that its rows differ.
    """

    TYPE = pyarrow.struct(
        [
            ("assertions", pyarrow.list_(pyarrow.struct([(n, pyarrow.string()) for n in ("text", "class", "id", "ts")]))),
            ("diagnostics", pyarrow.list_(pyarrow.string())),
        ]
    )

    @staticmethod
    def find(text: str | None) -> dict[str, Any] | None:
        if text is None:
            return None
        found, begin = [], 0
        for annotation in PATTERN.finditer(text):
            start = begin
            for end in START.finditer(text, begin, annotation.start()):
                if end.end() < annotation.start():
                    start = end.end()
            parameters = dict(part.strip().split("=", 1) for part in annotation[2].split(";")[1:])
            found.append(
                {
                    "text": text[start : annotation.start()].strip(),
                    "class": annotation[1],
                    "id": parameters.get("observation-id"),
                    "ts": parameters.get("ts"),
                }
            )
            begin = annotation.end()
        return {"assertions": found, "diagnostics": []}

    def array(self, texts: Any) -> Any:
        return pyarrow.array([self.find(text) for text in texts.to_pylist()], self.TYPE)

    def types(self) -> Any:
        return pyarrow.schema(list(self.TYPE))

    def __call__(self, table: Any) -> Any:
        texts = table[self.column]
        texts = texts.combine_chunks() if isinstance(texts, pyarrow.ChunkedArray) else texts
        found = self.array(texts)
        for name in ("assertions", "diagnostics"):
            table = table.append_column(name, found.field(name))
        return table

    def batches(self, batches: Any) -> Any:
        for batch in batches:
            yield from self(pyarrow.Table.from_batches([batch])).to_batches()


FUNCTIONS = {"provstream": Extractor, "re": PythonRe}
COLUMNS = ["id", "assertions", "diagnostics"]
Job = Callable[[], None]


def datafusion_job(source: Path, target: Path, function: type[Extractor]) -> tuple[Job, Job]:
    from datafusion import SessionConfig, SessionContext
    from provstream.engines import datafusion

    context = SessionContext(SessionConfig().with_target_partitions(WORKERS))
    frame = context.read_parquet(str(source))
    frame = datafusion.extract(frame, extractor=function("text")).select(*COLUMNS)
    return lambda: frame.write_parquet(str(target)), lambda: None


def daft_job(source: Path, target: Path, function: type[Extractor]) -> tuple[Job, Job]:
    import daft
    from provstream.engines import daft as engine

    engine.Extractor = function  # type: ignore[misc]
    frame = engine.extract(daft.read_parquet(f"{source}/*.parquet"))
    frame = frame.select(*COLUMNS)
    return lambda: frame.write_parquet(str(target)) and None, lambda: None


def ray_job(source: Path, target: Path, function: type[Extractor]) -> tuple[Job, Job]:
    import ray
    from provstream.engines import ray as engine
    from ray.cluster_utils import Cluster

    os.environ.setdefault("RAY_DATA_DISABLE_PROGRESS_BARS", "1")
    store = {"object_store_memory": 400 << 20}
    # A head without a processor, and a node for each worker.
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **store})
    for _ in range(WORKERS):
        cluster.add_node(num_cpus=1, **store)
    ray.init(address=cluster.address, log_to_driver=False)
    engine.Extractor = function  # type: ignore[misc]
    data = ray.data.read_parquet(str(source), file_extensions=["parquet"])
    data = engine.extract(data).select_columns(COLUMNS)

    def stop() -> None:
        ray.shutdown()
        cluster.shutdown()

    return lambda: data.write_parquet(str(target)), stop


def spark_job(source: Path, target: Path, function: type[Extractor]) -> tuple[Job, Job]:
    from provstream.engines import spark as engine
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Workers need this module, and what the driver imports.
    paths = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    os.environ["PYTHONPATH"] = paths
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "900m",
        "spark.executorEnv.PYTHONPATH": paths,
        "spark.sql.files.maxPartitionBytes": str(8 << 20),
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master(f"local-cluster[{WORKERS},1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    engine.Extractor = function  # type: ignore[misc]
    frame = session.read.parquet(f"{source}/*.parquet")
    frame = engine.extract(frame).select(*COLUMNS)
    return lambda: frame.write.parquet(str(target)), session.stop


JOBS = {"datafusion": datafusion_job, "daft": daft_job, "ray": ray_job, "spark": spark_job}

#: What the command of a process looks like that works for the job: a worker of Ray in the task that calls `extract` (not one of the
#: agents `ray::DashboardAgent` and `ray::RuntimeEnvAgent`, whose node stops with them), an executor of Spark.
KILLED = {
    "ray": re.compile(rb"ray::MapBatches\("),
    "spark": re.compile(rb".*CoarseGrainedExecutorBackend"),
}


def descendants() -> list[int]:
    """The processes that this one started, and those that they started."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(entry)] = int(fields[1])
    found, front = [], [os.getpid()]
    while front:
        front = [pid for pid, parent in parents.items() if parent in front]
        found += front
    return found


def memory() -> int:
    """Bytes of this process and all that it started; what they share counts once."""
    total = 0
    for pid in [os.getpid(), *descendants()]:
        try:
            lines = Path("/proc", str(pid), "smaps_rollup").read_text()
        except OSError:
            continue
        found = re.search(r"^Pss:\s+(\d+) kB", lines, re.MULTILINE)
        total += int(found[1]) << 10 if found else 0
    return total


def processor_seconds() -> dict[int, float]:
    """What this process and all that it started have used of the processors so far."""
    used, tick = {}, os.sysconf("SC_CLK_TCK")
    for pid in [os.getpid(), *descendants()]:
        try:
            fields = Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        used[pid] = (int(fields[11]) + int(fields[12])) / tick
    return used


def kill_worker(engine: str, target: Path, over: threading.Event) -> dict[str, Any]:
    """Kills a worker once the first rows are written, unless the job is over; returns its command, and how many files there were."""
    while not over.is_set():
        files = len(list(target.rglob("*.parquet")))
        for pid in descendants() if files else []:
            try:
                command = Path("/proc", str(pid), "cmdline").read_bytes().replace(b"\0", b" ")
            except OSError:
                continue
            if KILLED[engine].match(command):
                os.kill(pid, signal.SIGKILL)
                return {"killed": command.decode(errors="replace").split(" -cp ")[0][:60].strip(), "files by then": files}
        over.wait(0.05)
    return {"killed": None}


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Runs one engine."""
    target = Path(tempfile.mkdtemp(prefix="provstream-archive-"))
    shutil.rmtree(target)
    work, stop = JOBS[options.engine](options.folder / "parquet", target, FUNCTIONS[options.function])
    most, over = [0], threading.Event()
    before, after = processor_seconds(), {}

    def watch() -> None:
        while not over.wait(0.25):
            most[0] = max(most[0], memory())
            after.update(processor_seconds())

    watcher = threading.Thread(target=watch)
    watcher.start()
    killed: dict[str, Any] = {}
    ended = threading.Event()
    killer = threading.Thread(target=lambda: killed.update(kill_worker(options.engine, target, ended)), daemon=True)
    if options.kill:
        killer.start()
    started = time.monotonic()
    work()
    seconds = time.monotonic() - started
    ended.set()
    after.update(processor_seconds())
    if options.kill:
        killer.join()
    over.set()
    watcher.join()
    stop()
    size = json.loads((options.folder / "size.json").read_text())
    result = {
        "engine": options.engine,
        "function": options.function,
        "seconds": round(seconds, 2),
        "MB/s": round(size["bytes"] / seconds / 1e6, 1),
        "processor seconds": round(sum(used - before.get(pid, 0.0) for pid, used in after.items()), 2),
        "MiB": most[0] >> 20,
    }
    if options.kill:
        result |= killed
    if options.function == "provstream":
        result |= differences(target, pyarrow.parquet.read_table(options.folder / "reference.parquet"))
    shutil.rmtree(target)
    return result


def differences(target: Path, reference: pyarrow.Table) -> dict[str, int]:
    """How many rows there are, and how many differ from the reference."""
    tables = [pyarrow.parquet.ParquetFile(path).read(columns=COLUMNS) for path in sorted(target.rglob("*.parquet"))]
    rows = sorted_by_id(pyarrow.concat_tables(tables, promote_options="permissive"))
    reference = sorted_by_id(reference)
    found = {"rows": len(rows), "missing": len(set(reference["id"].to_pylist()) - set(rows["id"].to_pylist())), "different": 0}
    if not all(is_same(rows[name], reference[name]) for name in COLUMNS):
        pairs = zip(rows.to_pylist(), reference.to_pylist())
        found["different"] = sum(one != other for one, other in pairs) + abs(len(rows) - len(reference))
    return found


def sorted_by_id(table: pyarrow.Table) -> pyarrow.Table:
    return table.take(pyarrow.compute.sort_indices(table["id"]))


def is_same(one: Any, other: Any) -> bool:
    """Whether two columns have the same values. Engines write other names for the elements of lists, and other nullability."""
    one, other = (column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column for column in (one, other))
    if len(one) != len(other) or not one.is_null().equals(other.is_null()):
        return False
    if pyarrow.types.is_list(other.type) or pyarrow.types.is_large_list(other.type):
        lengths = (pyarrow.compute.list_value_length(column).cast(pyarrow.int64()) for column in (one, other))
        return next(lengths).equals(next(lengths)) and is_same(one.flatten(), other.flatten())
    if pyarrow.types.is_struct(other.type):
        names = [member.name for member in other.type]
        if names != [member.name for member in one.type]:
            return False
        return all(is_same(left, right) for left, right in zip(one.flatten(), other.flatten()))
    return one.cast(other.type).equals(other)


def reference(options: argparse.Namespace) -> None:
    """Writes the reference, if it has the rows of the command line."""
    table = pyarrow.parquet.read_table(options.folder / "parquet")
    rows = Extractor("text")(table).select(COLUMNS)
    wanted = compare.run(compare.command_line(options.program, options.folder / "transcripts.ndjson", jobs=2), len(rows))
    different = 0
    for batch in rows.to_batches(max_chunksize=4_096):
        for row in batch.to_pylist():
            different += compare.digest_of(row["assertions"], row["diagnostics"]) != wanted[row["id"]]
    print(json.dumps({"reference": "provstream.arrow", "rows": len(rows), "different": different}), flush=True)
    if different:
        sys.exit(1)
    pyarrow.parquet.write_table(rows, options.folder / "reference.parquet", compression="zstd")


def table(options: argparse.Namespace) -> None:
    """Runs each engine with each function, and with a kill where it has workers."""
    for engine in options.engines.split(","):
        for function in FUNCTIONS:
            for kill in [False, True] if engine in KILLED and function == "provstream" else [False]:
                command = [sys.executable, __file__, "run", engine, str(options.folder), "--function", function]
                command += ["--kill"] * kill
                done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
                print(lines[-1] if lines else f"{engine} {function}: {done.stderr[-2000:]}", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description="Reads an archive of transcripts with one engine.")
    commands = arguments.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run")
    one.add_argument("engine", choices=JOBS)
    one.add_argument("--function", choices=FUNCTIONS, default="provstream")
    one.add_argument("--kill", action="store_true")
    every = commands.add_parser("table")
    every.add_argument("--engines", default=",".join(JOBS))
    first = commands.add_parser("reference")
    for command in (one, every, first):
        command.add_argument("folder", type=Path)
    first.add_argument("--program", type=Path, required=True)
    options = arguments.parse_args()
    if options.command == "reference":
        reference(options)
    elif options.command == "table":
        table(options)
    else:
        print(json.dumps(run(options)), flush=True)


if __name__ == "__main__":
    main()
