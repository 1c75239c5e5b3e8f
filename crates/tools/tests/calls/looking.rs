//! `read_file`, `list_files` and `search`.

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tools::OUTPUT_BYTES_MAX;

use crate::bench::Bench;

fn lines(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

#[tokio::test]
async fn lines_are_numbered_and_counted() {
    let bench = Bench::new().with("a.txt", "one\r\ntwo\nthree");
    let text = bench.does("read_file", json!({"path": "a.txt"})).await;
    assert_eq!(text, "     1\tone\n     2\ttwo\n     3\tthree\n(lines 1 to 3 of 3)");
}

#[tokio::test]
async fn a_page_says_how_to_read_on() {
    let bench = Bench::new().with("a.txt", lines(5000));
    let text = bench.does("read_file", json!({"path": "a.txt"})).await;
    assert!(text.ends_with("  2000\tline 2000\n(lines 1 to 2000 of 5000; read on with start_line 2001)"));
    let text = bench.does("read_file", json!({"path": "a.txt", "start_line": 4999, "line_count": 1})).await;
    assert_eq!(text, "  4999\tline 4999\n(lines 4999 to 4999 of 5000; read on with start_line 5000)");
}

#[tokio::test]
async fn a_page_is_never_over_the_output_limit() {
    let bench = Bench::new().with("wide.txt", format!("{}\n", "x".repeat(1000)).repeat(1000));
    let text = bench.does("read_file", json!({"path": "wide.txt"})).await;
    assert!(text.len() < OUTPUT_BYTES_MAX + 200, "{}", text.len());
    assert!(
        text.ends_with("(lines 1 to 260 of 1000; read on with start_line 261)"),
        "{}",
        &text[text.len() - 80..]
    );
}

#[tokio::test]
async fn one_endless_line_is_cut_and_says_so() {
    let bench = Bench::new().with("min.js", format!("{}\nnext\n", "é".repeat(OUTPUT_BYTES_MAX)));
    let text = bench.does("read_file", json!({"path": "min.js"})).await;
    assert!(text.len() < OUTPUT_BYTES_MAX + 200, "{}", text.len());
    assert!(text.ends_with("more bytes)\n(lines 1 to 1 of 2; read on with start_line 2)"));
}

#[tokio::test]
async fn an_empty_file_and_a_start_past_the_end_are_said() {
    let bench = Bench::new().with("empty", "").with("short", "one\n");
    assert_eq!(bench.does("read_file", json!({"path": "empty"})).await, "empty is empty");
    let (code, text) = bench.fails("read_file", json!({"path": "short", "start_line": 2})).await;
    assert_eq!(code, "PAST_END");
    assert_eq!(text, "Error: short has 1 lines, and start_line 2 is past its end");
}

#[tokio::test]
async fn what_is_no_text_is_refused_by_its_kind() {
    let bench = Bench::new()
        .with("nul", b"ab\0cd")
        .with("latin", b"caf\xe9")
        .with("shot.png", b"\x89PNG\r\n\x1a\n....")
        .with("folder/x", "");
    let (code, text) = bench.fails("read_file", json!({"path": "shot.png"})).await;
    assert_eq!((code, text.contains("a PNG image")), ("BINARY_FILE", true), "{text}");
    assert_eq!(bench.fails("read_file", json!({"path": "nul"})).await.0, "BINARY_FILE");
    assert_eq!(bench.fails("read_file", json!({"path": "latin"})).await.0, "BINARY_FILE");
    assert_eq!(bench.fails("read_file", json!({"path": "folder"})).await.0, "NOT_A_FILE");
    assert_eq!(bench.fails("read_file", json!({"path": "gone"})).await.0, "NOT_FOUND");
    assert_eq!(bench.fails("read_file", json!({"path": "nul/x"})).await.0, "NOT_A_FOLDER");
}

#[tokio::test]
async fn a_huge_file_is_refused_unread() {
    let bench = Bench::new();
    let huge = std::fs::File::create(bench.path("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let (code, text) = bench.fails("read_file", json!({"path": "huge"})).await;
    assert_eq!((code, text.contains("1099511627776 bytes")), ("TOO_LARGE", true), "{text}");
}

#[tokio::test]
async fn a_listing_is_sorted_and_leaves_out_what_git_does_not_see() {
    let bench = Bench::new()
        .with("b.rs", "")
        .with("a/x/y/z.rs", "")
        .with("target/out", "")
        .with(".git/config", "")
        .with(".gitignore", "target/\n");
    let text = bench.does("list_files", json!({})).await;
    assert_eq!(text, ".gitignore\na/\na/x/\na/x/y/\nb.rs\n(5 entries)");
    let text = bench.does("list_files", json!({"path": "a", "depth": 1})).await;
    assert_eq!(text, "a/x/\n(1 entries)");
}

#[tokio::test]
async fn a_listing_of_a_subfolder_heeds_the_ignore_file_above_it() {
    let bench = Bench::new().with(".gitignore", "*.log\n").with("a/x.log", "").with("a/x.rs", "");
    assert_eq!(bench.does("list_files", json!({"path": "a"})).await, "a/x.rs\n(1 entries)");
}

#[tokio::test]
async fn a_glob_means_names_or_with_a_slash_paths() {
    let bench = Bench::new().with("a/b.rs", "").with("a/c/d.rs", "").with("e.rs", "").with("f.md", "");
    let text = bench.does("list_files", json!({"glob": "*.rs"})).await;
    assert_eq!(text, "a/b.rs\na/c/d.rs\ne.rs\n(3 entries)");
    let text = bench.does("list_files", json!({"glob": "a/*.rs"})).await;
    assert_eq!(text, "a/b.rs\n(1 entries)");
    let text = bench.does("list_files", json!({"path": "a", "glob": "c/**"})).await;
    assert_eq!(text, "a/c/d.rs\n(1 entries)");
}

#[tokio::test]
async fn a_long_listing_counts_what_it_leaves_out() {
    let bench = Bench::new();
    for n in 0..2003 {
        std::fs::write(bench.path(&format!("f{n:04}")), "").unwrap();
    }
    let text = bench.does("list_files", json!({})).await;
    assert_eq!(text.lines().count(), 2001);
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("(2000 entries; 3 more left out"), "{last}");
}

#[tokio::test]
async fn only_a_folder_is_listed() {
    let bench = Bench::new().with("file", "").with("empty/x", "");
    std::fs::remove_file(bench.path("empty/x")).unwrap();
    assert_eq!(bench.fails("list_files", json!({"path": "file"})).await.0, "NOT_A_FOLDER");
    assert_eq!(bench.fails("list_files", json!({"path": "gone"})).await.0, "NOT_FOUND");
    assert_eq!(bench.does("list_files", json!({"path": "empty"})).await, "(no entries)");
}

#[tokio::test]
async fn a_search_names_path_line_and_text() {
    let bench = Bench::new()
        .with("a.rs", "fn one() {}\r\nlet x;\nfn two() {}\n")
        .with("b/c.md", "Fn three\n")
        .with("bin", b"fn \0 four");
    let text = bench.does("search", json!({"pattern": "^fn \\w+"})).await;
    assert_eq!(text, "a.rs:1:fn one() {}\na.rs:3:fn two() {}\n(2 matches)");
    let text =
        bench.does("search", json!({"pattern": "^fn", "case_insensitive": true, "glob": "*.md"})).await;
    assert_eq!(text, "b/c.md:1:Fn three\n(1 matches)");
    let text = bench.does("search", json!({"pattern": "two", "path": "a.rs"})).await;
    assert_eq!(text, "a.rs:3:fn two() {}\n(1 matches)");
}

#[tokio::test]
async fn a_search_stops_at_its_limit_and_says_that_there_is_more() {
    let bench = Bench::new().with("a", lines(300)).with("b", lines(3));
    let text = bench.does("search", json!({"pattern": "line"})).await;
    assert_eq!(text.lines().count(), 201);
    assert!(text.ends_with("(200 matches; there are more: narrow pattern, path or glob)"));
    let text = bench.does("search", json!({"pattern": "line", "path": "b", "max_matches": 3})).await;
    assert!(text.ends_with("(3 matches)"), "{text}");
}

#[tokio::test]
async fn long_lines_are_cut_at_400_characters() {
    let bench =
        Bench::new().with("a", format!("{}\n", "é".repeat(401))).with("b", format!("{}\n", "é".repeat(400)));
    let text = bench.does("search", json!({"pattern": "é"})).await;
    assert_eq!(text, format!("a:1:{0}…\nb:1:{0}\n(2 matches)", "é".repeat(400)));
}

#[tokio::test]
async fn a_cancelled_call_does_not_begin() {
    let bench = Bench::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let arguments = json!({"path": "new", "content": "x"});
    let outcome = bench.call_until("write_file", arguments, cancel).await;
    assert_eq!(outcome.code, Some("ABORTED"));
    assert!(!bench.path("new").exists());
}
