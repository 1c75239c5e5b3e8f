use reqwest::header::HeaderValue;

use super::*;

fn check(headers: &[(&'static str, &'static str)], expect: Option<u64>) {
    // Sun, 06 Nov 1994 08:49:37 GMT is 784111777 seconds after 1970, by the example of RFC 9110.
    let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
    let headers = headers.iter().map(|(name, value)| {
        (reqwest::header::HeaderName::from_static(name), HeaderValue::from_static(value))
    });
    assert_eq!(of_headers(&headers.collect(), now), expect);
}

#[test]
fn seconds_milliseconds_and_dates_are_read() {
    check(&[("retry-after", "3")], Some(3_000));
    check(&[("retry-after", " 0.25 ")], Some(250));
    check(&[("retry-after-ms", "1500"), ("retry-after", "2")], Some(1_500));
    check(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], Some(0));
    check(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], Some(30_000));
    check(&[("retry-after", "Tue, 29 Feb 2000 00:00:00 GMT")], Some((951_782_400 - 784_111_777) * 1_000));
    check(&[("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT")], Some(0));
}

#[test]
fn nonsense_is_no_wait() {
    for nonsense in [
        "",
        "soon",
        "-3",
        "nan",
        "inf",
        "1e300",
        "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 99 Nov 1994 08:49 GMT",
    ] {
        check(&[("retry-after", nonsense)], None);
    }
    check(&[], None);
}
