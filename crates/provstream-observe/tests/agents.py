"""Agents that know nothing of provstream, through `provstream proxy`: the SDKs of OpenAI and Anthropic call a tool in a loop.

    agents.py PROGRAM

A stub takes the place of the providers. It asks for a file, and then cites: observations that hold, have moved, changed, gone or
expired, the result of the tool, one under a wrong class, and one that was made up. Then the files change.
"""

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anthropic
import openai

POLICY = """
floor = 1
default_window = "1d"
unobserved = { action = "discard" }
class_differs = { action = "discard" }
stale = { action = "discard" }
changed = { action = "mark", before = "<", after = ">" }
moved = { action = "mark", before = "{", after = "}" }
gone = { action = "replace", text = "(gone)" }
not_requeryable = { action = "release" }
inadmissible = { action = "discard" }
"""
SETTINGS = """
upstream = "http://127.0.0.1:{port}"
listen = "127.0.0.1:0"
audit = "audit.ndjson"
observation_ids = "hash"
salt = "salt"
[[route]]
path = "/v1"
action = "gate"
policy = "policy.toml"
ledger = "obs.db"
record = {{ read_file = "substrate.code.read" }}
requery = "root"
requery_deadline = "10s"
"""
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False}
ARGUMENTS = {"path": "d.rs"}
BEFORE = ["requeried", "requeried", "requeried", "not-requeryable", "stale", "class-differs", "unobserved", "declared"]
AFTER = ["moved", "changed", "gone", *BEFORE[3:]]
TEXT_BEFORE = "It runs. It stops. One is unused. It loops. Done."
TEXT_AFTER = "{It runs.} <It stops.> (gone) It loops. Done."


class Provider(BaseHTTPRequestHandler):
    """Asks for a file first, and answers when it has it."""

    protocol_version = "HTTP/1.1"
    # The text of the answer, in which CALL is the id of the call.
    answer = ""
    # What the model was shown.
    shown = []

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_openai = self.path.endswith("/chat/completions")
        reply = openai_reply(request) if is_openai else anthropic_reply(request)
        if isinstance(reply, list):
            body = "".join(reply).encode()
            kind = "text/event-stream"
        else:
            body = json.dumps(reply).encode()
            kind = "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def pieces(text):
    return re.findall(r"[^ ;-]*[ ;-]?", text)[:-1]


def openai_reply(request):
    last = request["messages"][-1]
    is_stream = request.get("stream", False)
    call = f"call_openai_{is_stream}"
    if last["role"] == "tool":
        Provider.shown.append(last["content"])
        text, calls, reason = Provider.answer.replace("CALL", last["tool_call_id"]), None, "stop"
    else:
        function = {"name": "read_file", "arguments": json.dumps(ARGUMENTS)}
        text, calls, reason = None, [{"id": call, "type": "function", "function": function}], "tool_calls"
    head = {"id": "x", "created": 1, "model": "m"}
    if not is_stream:
        message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {**head, "object": "chat.completion", "choices": [choice]}
    deltas = [{"content": piece} for piece in pieces(text or "")]
    deltas += [{"tool_calls": [{"index": 0, **call}]} for call in calls or []]
    choices = [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": reason})
    chunks = [{**head, "object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    return [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]


def anthropic_reply(request):
    last = request["messages"][-1]["content"]
    is_stream = request.get("stream", False)
    if isinstance(last, list) and last[0]["type"] == "tool_result":
        Provider.shown.append(last[0]["content"])
        block, reason = {"type": "text", "text": Provider.answer.replace("CALL", last[0]["tool_use_id"])}, "end_turn"
    else:
        block = {"type": "tool_use", "id": f"toolu_anthropic_{is_stream}", "name": "read_file", "input": ARGUMENTS}
        reason = "tool_use"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "x", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None, "usage": usage}
    if not is_stream:
        return {**message, "content": [block], "stop_reason": reason}
    if block["type"] == "text":
        start = {**block, "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
    else:
        start = {**block, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": json.dumps(ARGUMENTS)}]
    events = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


def openai_agent(url, root, is_stream):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    function = {"name": "read_file", "description": "Reads a file", "parameters": SCHEMA, "strict": True}
    request = {"model": "m", "tools": [{"type": "function", "function": function}]}
    messages = [{"role": "user", "content": "What does it do?"}]
    while True:
        if is_stream:
            with client.chat.completions.stream(messages=messages, **request) as stream:
                message = stream.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(messages=messages, **request).choices[0].message
        if not message.tool_calls:
            return message.content
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": call.function.arguments}}
            for call in message.tool_calls
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        for call in message.tool_calls:
            path = root / json.loads(call.function.arguments)["path"]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": path.read_text()})


def anthropic_agent(url, root, is_stream):
    client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)
    tools = [{"name": "read_file", "description": "Reads a file", "input_schema": SCHEMA}]
    request = {"model": "m", "max_tokens": 99, "tools": tools}
    messages = [{"role": "user", "content": "What does it do?"}]
    while True:
        if is_stream:
            with client.messages.stream(messages=messages, **request) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(messages=messages, **request)
        messages.append({"role": "assistant", "content": [block.model_dump(include={"type", "text", "id", "name", "input"}) for block in message.content]})
        uses = [block for block in message.content if block.type == "tool_use"]
        if not uses:
            return "".join(block.text for block in message.content)
        results = [
            {"type": "tool_result", "tool_use_id": use.id, "content": (root / use.input["path"]).read_text()} for use in uses
        ]
        messages.append({"role": "user", "content": results})


def equal(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")


def start_proxy(program, folder, port):
    (folder / "proxy.toml").write_text(SETTINGS.format(port=port))
    (folder / "policy.toml").write_text(POLICY)
    (folder / "salt").write_bytes(bytes(range(16)))
    proxy = subprocess.Popen([program, "proxy", "--config", "proxy.toml"], cwd=folder, stderr=subprocess.PIPE, text=True)
    for line in proxy.stderr:
        if found := re.search(r"listening at (http://[^/\s]*)", line):
            threading.Thread(target=proxy.stderr.read, daemon=True).start()
            return proxy, found[1]
    sys.exit("the proxy ended")


def story(program, folder):
    root = folder / "root"
    root.mkdir()
    files = {"a.rs": "fn main() {\n    run();\n}\n", "b.rs": "fn run() { stop() }\n", "c.rs": "fn unused() {}\n", "d.rs": "loop {}\n"}
    for name, text in files.items():
        (root / name).write_text(text)

    def run(*args, status=0):
        done = subprocess.run([program, *args], cwd=folder, capture_output=True, text=True)
        equal(done.returncode, status, f"status of {args} ({done.stderr})")
        return [json.loads(line) for line in done.stdout.splitlines()]

    ledger = ["--ledger", "obs.db", "--root", "root"]
    def observe(*args):
        return run("observe", "code.read", *args, *ledger)[0]["annotation"]

    moved = observe("a.rs", "--lines", "2", "--keep", "content")
    changed = observe("b.rs", "--keep", "content")
    gone = observe("c.rs")
    expired = observe("a.rs", "--lines", "1", "--expires", "1s")
    tool = "[substrate.code.read; observation-id=CALL]"
    wrong = "[substrate.grep; observation-id=CALL]"
    invented = "[substrate.code.read; observation-id=sha256:" + "0" * 64 + "]"
    Provider.answer = (
        f"It runs. {moved} It stops. {changed} One is unused. {gone} It loops. {tool} It was fast. {expired} "
        f"A search said so. {wrong} Trust me. {invented} Perhaps. [unverified-inference] Done."
    )
    time.sleep(2)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    proxy, url = start_proxy(program, folder, server.server_port)
    audit = folder / "audit.ndjson"

    def ask_all(text, outcomes):
        for agent in (openai_agent, anthropic_agent):
            for is_stream in (False, True):
                audit.write_text("")
                name = f"{agent.__name__}, stream {is_stream}"
                equal(agent(url, root, is_stream), text, name)
                lines = [json.loads(line) for line in audit.read_text().splitlines()]
                found = [line["verdict"]["outcomes"][0] for line in lines if line["decision"] == "assertion"]
                equal(found, outcomes, f"outcomes, {name}")
                ids = [line["annotations"][0].get("observation_id", "") for line in lines if line["decision"] == "assertion"]
                equal([id[:14] for id in ids], ["salted-sha256:"] * 7 + [""], f"ids in the audit log, {name}")
        answer = folder / "answer.txt"
        answer.write_text(Provider.answer.replace("CALL", "call_openai_True"))
        lines = run("verify", "answer.txt", "--requery", *ledger)
        found = [line["checks"]["outcomes"][0]["outcome"] for line in lines if line["event"] == "assertion"]
        equal(found, outcomes, "outcomes of verify")
        page = ["report", "answer.txt", "--policy", "policy.toml", "--requery", *ledger, "-o", "page.html"]
        run(*page)
        return (folder / "page.html").read_text()

    try:
        page = ask_all(TEXT_BEFORE, BEFORE)
        equal("the ledger does not have the observation" in page, True, "the page before")
        (root / "a.rs").write_text("// A program.\n" + files["a.rs"])
        (root / "b.rs").write_text("fn run() { panic!() }\n")
        (root / "c.rs").unlink()
        page = ask_all(TEXT_AFTER, AFTER)
        change = "the result is another one now: line 1 was \"fn run() { stop() }\", is \"fn run() { panic!() }\""
        equal(change in page, True, "the page after")
    finally:
        proxy.kill()
        proxy.wait()
        server.shutdown()
    equal(Provider.shown, [files["d.rs"]] * 8, "what the model was shown")
    calls = [entry["observation_id"] for entry in run("ledger", "list", "--ledger", "obs.db")][4:]
    expected = ["call_openai_False", "call_openai_True", "toolu_anthropic_False", "toolu_anthropic_True"]
    equal(sorted(calls), expected, "recorded results of tools")
    equal(run("ledger", "check", "--ledger", "obs.db")[-1]["faults"], 0, "faults of the ledger")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        story(str(Path(sys.argv[1]).resolve()), Path(folder))
    print(f"agents with openai {openai.__version__} and anthropic {anthropic.__version__} get what holds")
