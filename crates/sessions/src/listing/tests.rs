//! Pages, searches and news of a list that changes.

use events::SessionId;
use uuid::Uuid;

use super::{ListCursor, ListFilter, Listing};
use crate::{SessionRow, SessionStatus};

fn id(number: u128) -> SessionId {
    SessionId(Uuid::from_u128(number))
}

fn row(number: u128, title: &str, updated_at_ms: u64) -> SessionRow {
    SessionRow {
        session: id(number),
        title: Some(title.to_owned()),
        status: SessionStatus::Idle,
        updated_at_ms,
        workspace: "/w".to_owned(),
        parent: None,
        archived: false,
        goal: None,
        problem: None,
    }
}

fn archived(row: SessionRow) -> SessionRow {
    SessionRow { archived: true, ..row }
}

fn listing(rows: impl IntoIterator<Item = SessionRow>) -> Listing {
    let listing = Listing::new();
    rows.into_iter().for_each(|row| listing.put(row));
    listing
}

fn filter(query: &str) -> ListFilter {
    ListFilter { query: query.to_owned(), archived: false }
}

const EVERYTHING: ListFilter = ListFilter { query: String::new(), archived: true };

fn titles(rows: &[SessionRow]) -> Vec<&str> {
    rows.iter().filter_map(|row| row.title.as_deref()).collect()
}

/// Returns the titles on all pages, and what `between` does to the list after each.
fn paged(listing: &Listing, rows_max: usize, between: impl Fn(usize)) -> Vec<String> {
    let (mut all, mut after) = (Vec::new(), None);
    for number in 0.. {
        let page = listing.page(&EVERYTHING, after, rows_max);
        assert!(page.rows.len() <= rows_max);
        all.extend(titles(&page.rows).into_iter().map(str::to_owned));
        let Some(next) = page.next else { break };
        after = Some(next);
        between(number);
    }
    all
}

#[test]
fn the_newest_come_first_and_each_is_in_one_page() {
    let listing =
        listing((0..10_u64).map(|number| row(number.into(), &number.to_string(), 100 + number % 4)));
    let all = paged(&listing, 3, |_| ());
    assert_eq!(all, ["3", "7", "2", "6", "1", "5", "9", "0", "4", "8"]);
    assert_eq!(paged(&listing, 10, |_| ()), all, "a page that takes all has no next");
}

#[test]
fn a_row_that_changes_between_two_pages_displaces_no_other() {
    let listing = listing((0..9_u64).map(|number| row(number.into(), &number.to_string(), 100 - number)));
    let all = paged(&listing, 3, |page| match page {
        // One that was shown goes to the head, one that was not goes, one comes in.
        0 => listing.put(row(1, "1 again", 200)),
        _ => listing.remove(id(8)),
    });
    assert_eq!(all, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn a_cursor_outlives_its_row() {
    let listing = listing([row(1, "a", 3), row(2, "b", 2), row(3, "c", 1)]);
    let next = listing.page(&EVERYTHING, None, 2).next.unwrap();
    listing.remove(id(2));
    let told: ListCursor = next.to_string().parse().unwrap();
    assert_eq!(titles(&listing.page(&EVERYTHING, Some(told), 2).rows), ["c"]);
    for text in ["", "1", "x.y", "-1.00000000-0000-0000-0000-000000000001"] {
        assert!(text.parse::<ListCursor>().is_err(), "{text}");
    }
}

#[test]
fn every_word_of_a_query_stands_somewhere_in_the_title_whatever_its_case() {
    let titles_by = |query: &str| {
        let listing = listing([
            row(1, "Fix the login FLOW", 4),
            row(2, "Überprüfe die Straße", 3),
            row(3, "修复登录流程", 2),
            row(4, "ΟΔΟΣ και login", 1),
        ]);
        let page = listing.page(&filter(query), None, 10);
        page.rows.iter().map(|row| row.session.0.as_u128()).collect::<Vec<_>>()
    };
    assert_eq!(titles_by("fix"), [1]);
    assert_eq!(titles_by("  flow   LOG "), [1], "words in any order, and the beginning of one");
    assert_eq!(titles_by("login"), [1, 4]);
    assert_eq!(titles_by("ÜBER straße"), [2]);
    assert_eq!(titles_by("登录"), [3]);
    assert_eq!(titles_by("οδο"), [4]);
    assert_eq!(titles_by("login nothing"), [0; 0]);
    assert_eq!(titles_by(" "), [1, 2, 3, 4]);
}

#[test]
fn what_is_put_away_is_hidden_and_counted() {
    let listing = listing([row(1, "a", 2), archived(row(2, "b", 1))]);
    let page = listing.page(&filter(""), None, 10);
    assert_eq!((titles(&page.rows), page.archived_total), (vec!["a"], 1));
    assert_eq!(titles(&listing.page(&EVERYTHING, None, 10).rows), ["a", "b"]);
    listing.put(row(2, "b", 3));
    let page = listing.page(&filter(""), None, 10);
    assert_eq!((titles(&page.rows), page.archived_total), (vec!["b", "a"], 0));
}

#[test]
fn news_are_the_changed_rows_once_and_what_is_gone() {
    let listing = listing([row(1, "a", 1), row(2, "b", 2), row(3, "c", 3), row(4, "d", 4)]);
    let since = listing.page(&filter(""), None, 10).version;
    assert_eq!(*listing.version().borrow(), since);
    listing.put(row(1, "a again", 5));
    listing.put(row(1, "a again", 6));
    listing.put(archived(row(2, "b", 7)));
    listing.remove(id(3));
    listing.put(row(4, "d", 4));
    let news = listing.news(&filter(""), since);
    assert_eq!((titles(&news.rows), news.gone), (vec!["a again"], vec![id(2), id(3)]));
    assert_eq!(news.rows[0].updated_at_ms, 6);
    assert_eq!(*listing.version().borrow(), news.version);
    let nothing = listing.news(&filter(""), news.version);
    assert_eq!((nothing.rows, nothing.gone, nothing.version), (vec![], vec![], news.version));
}

#[test]
fn what_is_deleted_does_not_come_back() {
    let listing = listing([row(1, "a", 1)]);
    listing.remove(id(1));
    listing.put(row(1, "a", 2));
    listing.put_known(row(1, "a", 2));
    assert_eq!(listing.page(&EVERYTHING, None, 10).rows, []);
}

#[test]
fn what_an_earlier_process_knew_does_not_replace_what_is_so_now() {
    let listing = listing([row(1, "now", 5)]);
    listing.put_known(row(1, "then", 1));
    listing.put_known(row(2, "then", 1));
    assert_eq!(titles(&listing.page(&EVERYTHING, None, 10).rows), ["now", "then"]);
}
