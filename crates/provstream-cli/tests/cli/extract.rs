//! `provstream extract` and `strip`.

use crate::common::{Files, provstream, run, sh};

const MEMO: &str = "The file CHANGELOG.md contains an entry dated 2026-05-25.\n\
    [substrate.code.read; observation-id=sha256:e3b0c4...;\n ts=2026-05-28T11:40:00Z]";

#[test]
fn the_memos_example_gives_its_tuple() {
    // TV-PA-2
    let expected = "{\"event\":\"assertion\",\"encoding\":\"bracket\",\
        \"text\":\"The file CHANGELOG.md contains an entry dated 2026-05-25.\",\
        \"span\":{\"start\":0,\"end\":57},\"clean_span\":{\"start\":0,\"end\":57},\
        \"annotations\":[{\"class\":\"substrate.code.read\",\"declared\":\"substrate.code.read\",\
        \"observation_id\":\"sha256:e3b0c4...\",\"ts\":\"2026-05-28T11:40:00Z\",\
        \"span\":{\"start\":58,\"end\":138}}]}\n\
        {\"event\":\"end\",\"bytes\":138,\"assertions\":1,\"annotations\":1,\"marc\":0,\"diagnostics\":0}\n";
    for args in [
        &["extract"][..],
        &["extract", "-"],
        &["extract", "--mode", "text"],
    ] {
        let run = run(args, MEMO);
        assert_eq!(run.stdout, expected);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    }
    let files = Files::new();
    let run = run(&["extract", &files.write("memo.txt", MEMO)], "");
    assert_eq!(run.stdout, expected);
}

#[test]
fn an_empty_input_has_totals() {
    let run = run(&["extract", "--text"], "");
    let end = "{\"event\":\"end\",\"bytes\":0,\"assertions\":0,\"annotations\":0,\"marc\":0,\"diagnostics\":0}\n";
    assert_eq!((run.stdout.as_str(), run.status), (end, 0));
}

#[test]
fn text_comes_in_pieces_and_white_space_is_held() {
    let run = sh(
        "extract --text --chunk-size 4",
        "A b. \n[substrate.grep]\tC",
    );
    assert_eq!(
        run.stdout,
        "{\"event\":\"text\",\"text\":\"A b.\"}\n\
        {\"event\":\"assertion\",\"encoding\":\"bracket\",\"text\":\"A b.\",\"span\":{\"start\":0,\"end\":4},\
        \"clean_span\":{\"start\":0,\"end\":4},\"annotations\":[{\"class\":\"substrate.grep\",\
        \"declared\":\"substrate.grep\",\"span\":{\"start\":6,\"end\":22}}]}\n\
        {\"event\":\"text\",\"text\":\"\\tC\"}\n\
        {\"event\":\"end\",\"bytes\":24,\"assertions\":1,\"annotations\":1,\"marc\":0,\"diagnostics\":0}\n"
    );
}

#[test]
fn characters_are_whole_and_bad_bytes_are_replaced() {
    let input = b"\xe3\x81\x82\xff\xf0\x9f\x9a\x80\xe3\x81";
    let pieces = |size| {
        let run = run(&["extract", "--text", "--chunk-size", size], input);
        let mut lines: Vec<String> = run.stdout.lines().map(str::to_owned).collect();
        let end = lines.pop().unwrap();
        assert!(end.starts_with("{\"event\":\"end\",\"bytes\":10,"), "{end}");
        lines
    };
    let line = |text: &str| format!("{{\"event\":\"text\",\"text\":\"{text}\"}}");
    assert_eq!(
        pieces("1"),
        [line("あ"), line("\u{fffd}"), line("🚀"), line("\u{fffd}")]
    );
    assert_eq!(pieces("64"), [line("あ\u{fffd}🚀"), line("\u{fffd}")]);
}

#[test]
fn controls_do_not_reach_the_terminal() {
    let run = run(&["extract", "--text"], "\x1b[2J\u{9b}\u{202e}\x7f é");
    let text = run.stdout.lines().next().unwrap();
    assert_eq!(
        text,
        "{\"event\":\"text\",\"text\":\"\\u001b[2J\\u009b\\u202e\\u007f é\"}"
    );
}

#[test]
fn totals_count_what_a_limit_left_out() {
    let run = sh(
        "extract --max-annotations 1",
        "It is. [substrate.grep] [substrate.grep]",
    );
    let end = run.stdout.lines().last().unwrap();
    assert_eq!(
        end,
        "{\"event\":\"end\",\"bytes\":40,\"assertions\":1,\"annotations\":2,\"marc\":0,\"diagnostics\":1}"
    );
    assert!(run.stdout.contains("\"limit-annotations\""));
}

#[test]
fn each_limit_is_passed_on() {
    let input = "It is. [substrate.grep; observation-id=12345678]";
    for (limit, code) in [
        ("--max-annotation=20", "limit-annotation"),
        ("--max-assertion=4", "limit-assertion"),
        ("--max-pending=15", "limit-pending"),
    ] {
        let run = run(&["extract", limit], input);
        let line = format!("{{\"event\":\"diagnostic\",\"code\":\"{code}\",");
        assert!(run.stdout.contains(&line), "{limit}: {}", run.stdout);
    }
}

#[test]
fn a_vocabulary_file_adds_classes() {
    let files = Files::new();
    let toml = "version = \"1.1\"\n[[class]]\nid = \"ct.log\"\nsince = \"1.1\"\n";
    let vocabulary = files.write("vocabulary.toml", toml);
    let input = "It is. [1.1.ct.log]";
    let with = run(&["extract", "--vocabulary", &vocabulary], input).stdout;
    assert!(with.contains("{\"class\":\"ct.log\",\"declared\":\"1.1.ct.log\",\"span\""));
    assert_eq!(
        run(&["strip", "--vocabulary", &vocabulary], input).stdout,
        "It is."
    );
    assert_eq!(run(&["strip"], input).stdout, input);
}

#[test]
fn strip_writes_everything_but_annotations() {
    let input = "\u{feff}A b. \r\n[substrate.grep] C [1]\x1b `[substrate.grep]`\n[substrate.";
    let expected = "\u{feff}A b. C [1]\x1b `[substrate.grep]`\n[substrate.";
    for size in ["1", "2", "65536"] {
        let run = run(&["strip", "--chunk-size", size], input);
        assert_eq!((run.stdout.as_str(), run.status), (expected, 0));
    }
    let files = Files::new();
    let path = files.write("answer.txt", input);
    assert_eq!(run(&["strip", &path], "").stdout, expected);
}

#[test]
fn strip_keeps_bytes_that_are_not_utf8() {
    let files = Files::new();
    let path = files.write("bytes", b"\xff\x80 [substrate.grep]\0\xc3");
    let output = provstream(&["strip", &path]).output().unwrap();
    assert_eq!(output.stdout, b"\xff\x80\0\xc3");
}
