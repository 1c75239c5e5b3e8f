use serde_json::json;

use super::*;

fn check(status: u16, body: &str, class: FailureClass, message: &str) {
    let failure = of_status(status, body);
    assert_eq!((failure.class, failure.message.as_str(), failure.status), (class, message, Some(status)));
}

#[test]
fn a_status_and_its_body_have_a_class() {
    let said = r#"{"error":{"message":"no","type":"x"}}"#;
    for (status, class) in [
        (401, FailureClass::Auth),
        (403, FailureClass::Auth),
        (429, FailureClass::RateLimit),
        (400, FailureClass::BadRequest),
        (422, FailureClass::BadRequest),
        (500, FailureClass::Overloaded),
        (502, FailureClass::Overloaded),
        (503, FailureClass::Overloaded),
        (529, FailureClass::Overloaded),
        (408, FailureClass::Overloaded),
        (402, FailureClass::Unknown),
        (418, FailureClass::Unknown),
    ] {
        check(status, said, class, "no");
    }
}

#[test]
fn a_conversation_too_long_is_told_from_a_bad_request() {
    for words in [
        "This model's maximum context length is 8192 tokens.",
        "the request exceeds the available context size. try increasing it",
        "Prompt is too long",
    ] {
        let body = json!({"error": {"message": words, "type": "invalid_request_error"}}).to_string();
        check(400, &body, FailureClass::ContextOverflow, words);
    }
    let by_code = r#"{"error":{"message":"no","code":"context_length_exceeded"}}"#;
    check(400, by_code, FailureClass::ContextOverflow, "no");
}

#[test]
fn words_are_found_wherever_a_server_puts_them() {
    check(400, r#"{"object":"error","message":"a"}"#, FailureClass::BadRequest, "a");
    check(400, r#"{"detail":"b"}"#, FailureClass::BadRequest, "b");
    check(400, r#"{"error":"c"}"#, FailureClass::BadRequest, "c");
    check(500, "oops", FailureClass::Overloaded, "the provider answers 500 (Internal Server Error): oops");
    check(502, "<html>…</html>", FailureClass::Overloaded, "the provider answers 502 (Bad Gateway)");
    let advice = "the provider answers 404 (Not Found): check the base address, which usually ends in /v1, and the model's name";
    check(404, "", FailureClass::Unknown, advice);
    let advice = "Not Found: check the base address, which usually ends in /v1, and the model's name";
    check(404, r#"{"detail":"Not Found"}"#, FailureClass::Unknown, advice);
}

#[test]
fn an_error_within_a_stream_is_classed_by_its_number_or_its_words() {
    for (error, class) in [
        (json!({"code": 503, "message": "m"}), FailureClass::Overloaded),
        (json!({"code": "429", "message": "m"}), FailureClass::RateLimit),
        (json!({"code": "rate_limit_exceeded", "message": "m"}), FailureClass::RateLimit),
        (json!({"type": "overloaded_error", "message": "m"}), FailureClass::Overloaded),
        (json!({"type": "invalid_request_error", "message": "m"}), FailureClass::BadRequest),
        (json!({"code": "context_length_exceeded", "message": "m"}), FailureClass::ContextOverflow),
        (json!({"code": "invalid_api_key", "message": "m"}), FailureClass::Auth),
        (json!({"message": "m"}), FailureClass::Unknown),
    ] {
        let failure = within_stream(&error);
        assert_eq!((failure.class, failure.message.as_str()), (class, "m"), "{error}");
    }
    assert_eq!(within_stream(&json!({"odd": true})).message, r#"{"odd":true}"#);
}

#[test]
fn an_account_that_is_used_up_is_nothing_to_wait_for() {
    let body = r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#;
    check(429, body, FailureClass::Auth, "You exceeded your quota");
}
