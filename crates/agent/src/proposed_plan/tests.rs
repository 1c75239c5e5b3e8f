//! What a plan in a model's text is, and that no cut into chunks changes it.

use proptest::prelude::*;

use super::*;

/// Writes segments as one line: text as it is, plan text in brackets.
fn shown(segments: &[Segment]) -> String {
    let one = |segment: &Segment| match segment {
        Segment::Text(text) => format!("{text:?}"),
        Segment::PlanStart => "start".to_owned(),
        Segment::Plan(text) => format!("[{text:?}]"),
        Segment::PlanEnd => "end".to_owned(),
    };
    segments.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Checks what each chunk brings, then what the end brings.
#[track_caller]
fn streams<const N: usize>(chunks: [&str; N], expected: &[&str]) {
    let mut parser = ProposedPlanParser::default();
    let mut seen: Vec<String> = chunks.iter().map(|chunk| shown(&parser.push(chunk))).collect();
    seen.push(shown(&parser.finish()));
    assert_eq!(seen, expected);
}

/// Checks a whole text: what stays visible, and the plan.
#[track_caller]
fn whole(text: &str, visible: &str, plan: Option<&str>) {
    assert_eq!(strip(text), visible);
    assert_eq!(extract(text).as_deref(), plan);
}

/// Checks that `text` holds no plan.
#[track_caller]
fn is_text(text: &str) {
    whole(text, text, None);
}

/// Writes `<o>` and `</o>` out as the tags.
fn tagged(text: &str) -> String {
    text.replace("<o>", "<proposed_plan>").replace("</o>", "</proposed_plan>")
}

#[test]
fn tags_are_found_across_chunks() {
    streams(
        ["Intro text\n<prop", "osed_plan>\n- step 1\n", "</proposed_plan>\nOutro"],
        &[r#""Intro text\n""#, r#"start ["- step 1\n"]"#, r#"end "Outro""#, ""],
    );
}

#[test]
fn a_tag_with_text_behind_it_is_text() {
    streams(["  <proposed_plan> extra\n"], &[r#""  <proposed_plan> extra\n""#, ""]);
    is_text("<proposed_plan>x");
    is_text("<proposed_plan>x\n- a\n");
}

#[test]
fn an_open_block_is_closed_at_the_end() {
    streams(["<proposed_plan>\n- step 1\n"], &[r#"start ["- step 1\n"]"#, "end"]);
    streams(["<proposed_plan>"], &["", "start end"]);
    streams(["<proposed_plan>\n- a\n</proposed_plan>"], &[r#"start ["- a\n"]"#, "end"]);
    streams(["<proposed_plan>\n- a\n</prop"], &[r#"start ["- a\n"]"#, r#"["</prop"] end"#]);
    streams(["<prop"], &["", r#""<prop""#]);
}

#[test]
fn a_block_is_taken_out_of_its_text() {
    whole(&tagged("before\n<o>\n- step\n</o>\nafter"), "before\nafter", Some("- step\n"));
}

#[test]
fn blanks_around_a_tag_vanish_with_it() {
    whole(&tagged("<o>\r\n- a\r\n</o>\r\n"), "", Some("- a\r\n"));
    whole(&tagged("   <o>   \n- a\n\t</o>\t\nrest"), "rest", Some("- a\n"));
    whole(&tagged("\u{a0}<o>\u{3000}\n- a\n</o>"), "", Some("- a\n"));
    whole(&tagged("<o>\n    </o>\n  code\n"), "  code\n", Some(""));
}

#[test]
fn blank_lines_of_a_plan_stay() {
    whole(&tagged("<o>\n\n# T\n\n</o>"), "", Some("\n# T\n\n"));
    is_text("   \n\n  hi");
}

#[test]
fn an_empty_block_is_an_empty_plan() {
    whole(&tagged("<o>\n</o>"), "", Some(""));
    whole("<proposed_plan>", "", Some(""));
}

#[test]
fn blocks_do_not_nest() {
    whole(&tagged("<o>\nA\n<o>\nB\n</o>\nC\n</o>\nD"), &tagged("C\n</o>\nD"), Some(&tagged("A\n<o>\nB\n")));
}

#[test]
fn the_last_block_wins() {
    whole(&tagged("<o>\nA\n</o>\nmid\n<o>\nB\n</o>\n"), "mid\n", Some("B\n"));
}

#[test]
fn a_closing_tag_alone_is_text() {
    is_text("</proposed_plan>\nx");
    streams(["<", "/proposed_plan>\n"], &["", r#""</proposed_plan>\n""#, ""]);
}

#[test]
fn tags_are_written_one_way() {
    is_text("<Proposed_Plan>\n- a\n</Proposed_Plan>\n");
    is_text("> <proposed_plan>\n> - a\n");
    is_text("**<proposed_plan>**\n- a\n");
    is_text("<proposed_plan>\r- a\r</proposed_plan>\r");
}

#[test]
fn text_is_held_back_no_longer_than_needed() {
    streams(["a", "\n", "  ", "<", "p", "x\n"], &[r#""a""#, r#""\n""#, "", "", "", r#""  <px\n""#, ""]);
    streams(["x <proposed", "_plan>\n"], &[r#""x <proposed""#, r#""_plan>\n""#, ""]);
    streams(["<proposed_plan>\nA", "B", "\nC"], &[r#"start ["A"]"#, r#"["B"]"#, r#"["\nC"]"#, "end"]);
    streams(["", ""], &["", "", ""]);
}

#[test]
fn what_is_held_back_is_bounded() {
    let blanks = " ".repeat(HELD_BYTES_MAX + 1);
    streams([&blanks], &[&format!("{blanks:?}"), ""]);
    is_text(&format!("<proposed_plan>{blanks}\n- a\n"));
    whole(&tagged(&format!("<o>\n{blanks}x</o>\n")), "", Some(&format!("{blanks}x")));
}

#[test]
fn a_parser_can_be_used_again() {
    let mut parser = ProposedPlanParser::default();
    parser.push("```\n<proposed_plan>\n");
    parser.finish();
    assert_eq!(shown(&parser.push("<proposed_plan>\n- a\n")), r#"start ["- a\n"]"#);
    parser.finish();
    assert_eq!(shown(&parser.push("x")), r#""x""#);
}

#[test]
fn a_second_end_brings_nothing() {
    for text in ["<proposed_plan>\n- a\n", "<prop", "plain"] {
        let mut parser = ProposedPlanParser::default();
        parser.push(text);
        parser.finish();
        assert!(parser.finish().is_empty(), "{text:?}");
    }
}

#[test]
fn a_tag_inside_a_code_fence_is_text() {
    is_text(&tagged("```\n<o>\n- a\n</o>\n```\n"));
    is_text(&tagged("~~~~ text\n~~~\n<o>\n- a\n</o>\n~~~~\n"));
    is_text(&tagged("- see:\n      ```md\n      <o>\n      </o>\n"));
    is_text(&tagged("```\nsay: <o>\n- a\n</o>\n"));
}

#[test]
fn a_fence_that_is_over_hides_nothing() {
    whole(&tagged("```sh\nls\n```\n<o>\n- a\n</o>\n"), "```sh\nls\n```\n", Some("- a\n"));
    whole(&tagged("```one `line` ```\n<o>\n- a\n</o>\n"), "```one `line` ```\n", Some("- a\n"));
    whole(&tagged("``\n<o>\n- a\n</o>\n"), "``\n", Some("- a\n"));
}

#[test]
fn a_plan_ends_even_if_its_own_fence_does_not() {
    whole(&tagged("<o>\n```\nls\n</o>\nrest"), "rest", Some("```\nls\n"));
    let shown = tagged("```\n</o>\n");
    whole(&tagged("<o>\n```\n</o>\n```\n</o>\n"), &shown, Some("```\n"));
}

#[test]
fn a_closing_tag_at_the_end_of_a_line_ends_the_plan() {
    whole(&tagged("<o>\n- a\n- b </o>\nz"), "z", Some("- a\n- b "));
    whole(&tagged("<o>\n- a <</o> \t\nz"), "z", Some("- a <"));
    whole(
        &tagged("<o>\n- write `</o>` last\n- b\n</o>\nz"),
        "z",
        Some(&tagged("- write `</o>` last\n- b\n")),
    );
    streams(["<proposed_plan>\na </pro", "posed_plan>\nz"], &[r#"start ["a "]"#, r#"end "z""#, ""]);
}

#[test]
fn an_inline_opening_tag_does_not_lose_the_plan() {
    for text in ["Here is it: <o>\n- a\n</o>\n", "Here is it:<o>  \r\n- a\n- b</o>"] {
        let text = tagged(text);
        assert_eq!(strip(&text), text, "what streamed as text stays text");
        assert!(extract(&text).expect("a plan").starts_with("- a\n"), "{text}");
    }
    assert_eq!(extract(&tagged("  <o># T\n- a\n</o>")).as_deref(), Some("# T\n- a\n"));
    assert_eq!(extract(&tagged("A: <o>\nx\n</o>\nB: <o>\ny\n</o>\n")).as_deref(), Some("y\n"));
}

#[test]
fn a_mere_mention_of_the_tags_is_no_plan() {
    is_text(&tagged("I will answer with <o>\nwhen I am done.\n"));
    is_text(&tagged("put it between <o> and </o>\n"));
    is_text(&tagged("put it between <o> and\n</o>\n"));
    whole(&tagged("it comes in <o>\n<o>\nA\n</o>\n"), &tagged("it comes in <o>\n"), Some("A\n"));
}

#[test]
fn an_empty_block_does_not_erase_an_earlier_plan() {
    whole(&tagged("<o>\nA\n</o>\n<o>\n</o>\n"), "", Some("A\n"));
    whole(&tagged("<o>\nA\n</o>\n<o>\n \n"), "", Some("A\n"));
}

#[test]
fn a_byte_order_mark_and_a_blank_in_a_tag_do_no_harm() {
    whole(&tagged("\u{feff}<o>\n- a\n</o>\n"), "", Some("- a\n"));
    whole("<proposed_plan >\n- a\n</proposed_plan\t>\n", "", Some("- a\n"));
}

/// Texts made of what matters to the parser.
fn texts() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "<proposed_plan>",
        "</proposed_plan>",
        "<proposed_plan",
        "</prop",
        "<",
        ">",
        "\n",
        "\n",
        "\n",
        " ",
        "\t",
        "\r",
        "\u{feff}",
        "\u{3000}",
        "```",
        "~~~~",
        "`",
        "a",
        "# T",
        "- é",
        "\u{1F600}",
    ];
    let long = Just(" ".repeat(HELD_BYTES_MAX - 8));
    let piece = prop_oneof![20 => proptest::sample::select(PIECES).prop_map(str::to_owned), 1 => long];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Returns what a stream of `chunks` brings, neighbours of one kind joined.
fn joined<'a>(chunks: impl IntoIterator<Item = &'a str>) -> Vec<Segment> {
    let mut parser = ProposedPlanParser::default();
    let mut segments: Vec<Segment> = chunks.into_iter().flat_map(|chunk| parser.push(chunk)).collect();
    segments.extend(parser.finish());
    segments.into_iter().fold(Vec::new(), |mut joined, next| {
        match (joined.last_mut(), next) {
            (Some(Segment::Text(text)), Segment::Text(more)) => text.push_str(&more),
            (Some(Segment::Plan(text)), Segment::Plan(more)) => text.push_str(&more),
            (_, next) => joined.push(next),
        }
        joined
    })
}

fn cut<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let mut ends: Vec<usize> =
        cuts.iter().map(|cut| text.floor_char_boundary(cut % (text.len() + 1))).collect();
    ends.push(text.len());
    ends.sort_unstable();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends.iter().copied()).map(|(start, end)| &text[start..end]).collect()
}

fn text_of(segments: &[Segment]) -> String {
    let text = |segment: &Segment| match segment {
        Segment::Text(text) => text.clone(),
        Segment::PlanStart | Segment::Plan(_) | Segment::PlanEnd => String::new(),
    };
    segments.iter().map(text).collect()
}

fn newest_plan(segments: &[Segment]) -> Option<String> {
    let mut plans: Vec<String> = Vec::new();
    for segment in segments {
        match segment {
            Segment::PlanStart => plans.push(String::new()),
            Segment::Plan(text) => plans.last_mut().expect("a plan begins first").push_str(text),
            Segment::Text(_) | Segment::PlanEnd => {}
        }
    }
    plans.iter().rfind(|plan| !plan.trim().is_empty()).or(plans.last()).cloned()
}

proptest! {
    #[test]
    fn no_cut_into_chunks_changes_anything(text in texts(), cuts in proptest::collection::vec(any::<usize>(), 0..12)) {
        let streamed = joined(cut(&text, &cuts));
        prop_assert_eq!(&streamed, &joined([text.as_str()]));
        prop_assert_eq!(text_of(&streamed), strip(&text));
        if let Some(plan) = newest_plan(&streamed) {
            prop_assert_eq!(Some(plan), extract(&text));
        }
    }

    #[test]
    fn each_character_alone_is_enough(text in ".{0,60}|(<proposed_plan>\n|</proposed_plan>\n|[a<\n`]){0,12}") {
        let mut buffer = [0; 4];
        let chunks: Vec<String> = text.chars().map(|c| c.encode_utf8(&mut buffer).to_owned()).collect();
        prop_assert_eq!(joined(chunks.iter().map(String::as_str)), joined([text.as_str()]));
    }

    #[test]
    fn starts_and_ends_take_turns(text in texts()) {
        let mut open = false;
        for segment in joined([text.as_str()]) {
            match segment {
                Segment::PlanStart => prop_assert!(!std::mem::replace(&mut open, true)),
                Segment::PlanEnd => prop_assert!(std::mem::replace(&mut open, false)),
                Segment::Plan(text) => prop_assert!(open && !text.is_empty()),
                Segment::Text(text) => prop_assert!(!open && !text.is_empty()),
            }
        }
        prop_assert!(!open);
    }

    #[test]
    fn nothing_but_tag_lines_is_lost(text in texts()) {
        let kept: String = joined([text.as_str()]).iter().map(|segment| match segment {
            Segment::Text(text) | Segment::Plan(text) => text.as_str(),
            Segment::PlanStart | Segment::PlanEnd => "",
        }).collect();
        let mut rest = kept.chars().peekable();
        let lost: String = text.chars().filter(|c| rest.next_if_eq(c).is_none()).collect();
        prop_assert!(rest.peek().is_none(), "{kept:?} is no part of {text:?}");
        let only = "<>/proposed_plan\n";
        prop_assert!(lost.chars().all(|c| is_blank(c) || only.contains(c)), "{lost:?}");
    }
}
