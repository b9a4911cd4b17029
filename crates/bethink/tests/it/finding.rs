//! Files by name, kind and time: F22, F27, and what a miss says.

use std::fs::{self, File, FileTimes};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::sandbox::{Ran, Sandbox};

#[test]
fn f27_a_file_is_found_by_words_of_its_name() {
    let sandbox = Sandbox::new();
    sandbox.write("a/b/c/Acme Financial - One Page Memo.pptx", b"PK\x03\x04");
    sandbox.write("drafts/Fermi_Draft-v2.md", "about fermions\n");
    sandbox.write("other/financial-report.xlsx", b"PK\x03\x04");
    for number in 0..200 {
        sandbox.write(format!("noise/{number}-page.md"), "memo\n");
    }
    sandbox.index();
    let memo = "a/b/c/Acme Financial - One Page Memo.pptx";
    for query in ["financial memo", "acme memo", "memo pptx financial", "ACME_FINANCIAL", "one-page acme"] {
        assert_eq!(sandbox.hits(&["find", query]).first().map(String::as_str), Some(memo), "{query}");
    }
    assert_eq!(sandbox.hits(&["find", "fermi draft"]).first().map(String::as_str), Some("drafts/Fermi_Draft-v2.md"));
    let typo = sandbox.hits(&["find", "finacial"]);
    assert!(typo.iter().take(2).any(|path| path == memo), "{typo:?}");
}

#[test]
fn a_kind_that_hides_a_better_match_says_so_and_a_wrong_one_is_explained() {
    let sandbox = Sandbox::new();
    sandbox.write("budget.xlsx", b"PK\x03\x04");
    sandbox.write("sub/old budget notes.md", "x\n");
    sandbox.index();
    let ran = sandbox.run(&["find", "budget", "--kind", "document"]);
    assert!(ran.stdout.contains("old budget notes.md"), "{ran:?}");
    assert!(ran.stderr.contains("budget.xlsx"), "{ran:?}");
    let wrong = sandbox.run(&["find", "budget", "--kind", "paperish-thing"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("spreadsheet"), "{wrong:?}");
}

#[test]
fn times_are_understood_or_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("new.md", "x\n");
    let old = sandbox.write("old.md", "x\n");
    let years_ago = UNIX_EPOCH + Duration::from_secs(1_500_000_000);
    File::options().write(true).open(&old).unwrap().set_modified(years_ago).unwrap();
    sandbox.index();
    let recent = sandbox.hits(&["find", "md", "--modified", "today"]);
    assert!(recent.contains(&"new.md".to_owned()) && !recent.contains(&"old.md".to_owned()), "{recent:?}");
    assert_eq!(sandbox.hits(&["find", "md", "--modified", "2017-07"]), ["old.md"]);
    assert_eq!(sandbox.hits(&["find", "--modified", "july 2017"]), ["old.md"]);
    let unknown = sandbox.run(&["find", "md", "--modified", "when the moon was blue"]);
    assert_eq!(unknown.code, 2, "never no filter");
    assert!(unknown.stderr.contains("yesterday") && unknown.stderr.contains("last week"), "{unknown:?}");
}

#[test]
fn the_desktops_list_tells_when_a_file_was_opened() {
    let sandbox = Sandbox::new();
    let deck = sandbox.write("deck.pptx", b"PK\x03\x04");
    sandbox.write("other deck.pptx", b"PK\x03\x04");
    let list = sandbox.user_home().join(".local/share/recently-used.xbel");
    fs::create_dir_all(list.parent().unwrap()).unwrap();
    fs::write(
        &list,
        format!(
            r#"<?xml version="1.0"?><xbel version="1.0"><bookmark href="file://{}" added="2021-03-04T10:00:00Z" modified="2021-03-04T10:00:00Z" visited="2021-03-05T23:50:00Z"/></xbel>"#,
            deck.display()
        ),
    )
    .unwrap();
    sandbox.index();
    let json = sandbox.run(&["find", "deck", "--opened", "2021-03-05", "--json"]);
    let hit = &json.json()[0];
    assert!(hit["path"].as_str().unwrap().ends_with("/deck.pptx"), "{hit}");
    assert_eq!(hit["opened_source"], "recently-used");
    let miss = sandbox.hits(&["find", "deck", "--opened", "2021-03-06"]);
    assert!(miss.is_empty(), "{miss:?}");
}

#[test]
fn a_miss_says_where_it_looked_and_what_is_near() {
    let sandbox = Sandbox::new();
    sandbox.write("holiday plans.md", "x\n");
    fs::create_dir_all(sandbox.user_home().join("papers")).unwrap();
    fs::write(sandbox.user_home().join("papers/insurance.pdf"), "x").unwrap();
    sandbox.index();
    let outside = sandbox.run(&["find", "--json", "insurance"]);
    assert!(
        outside.json()[0]["path"].as_str().unwrap().ends_with("papers/insurance.pdf"),
        "home is looked through, too"
    );
    let miss = sandbox.run(&["find", "hoqqday xyzzyplans"]);
    assert_eq!(miss.code, 1, "{miss:?}");
    assert!(miss.stderr.contains("looked in"), "{miss:?}");
}

#[test]
fn a_new_file_is_found_by_name_before_any_new_index_run() {
    let sandbox = Sandbox::new();
    sandbox.write("one.md", "x\n");
    sandbox.index();
    sandbox.write("brand-new-thing.md", "x\n");
    assert_eq!(sandbox.hits(&["find", "brand new thing"]), ["brand-new-thing.md"]);
}

#[test]
fn f28_yesterday_is_the_whole_local_day_before_this_one() {
    let sandbox = Sandbox::new();
    // Somewhere on earth it is half past midnight.
    let now = SystemTime::now();
    let minutes = i64::try_from(now.duration_since(UNIX_EPOCH).unwrap().as_secs() / 60 % 1440).unwrap();
    let east = (30 - minutes + 720).rem_euclid(1440) - 720;
    // The sign of such a zone is that of the way back to UTC.
    let sign = if east > 0 { '-' } else { '+' };
    let zone = format!("<HERE>{sign}{:02}:{:02}", east.abs() / 60, east.abs() % 60);
    let opened = |name: &str, minutes_ago: u64| {
        let path = sandbox.files().join(name);
        let times = FileTimes::new()
            .set_modified(now - Duration::from_secs(40 * 24 * 3600))
            .set_accessed(now - Duration::from_secs(minutes_ago * 60));
        File::options().write(true).open(path).unwrap().set_times(times).unwrap();
    };
    // At 23:50 yesterday, at 00:05 yesterday, at 23:50 the day before, at 00:10 today.
    let names = [
        ("deck late.odp", 40),
        ("deck early.odp", 24 * 60 + 25),
        ("deck before.odp", 24 * 60 + 40),
        ("deck today.odp", 20),
    ];
    for (name, _) in names {
        sandbox.write(name, "a deck\n");
    }
    sandbox.index();
    // Afterwards, since reading a file for the index may move its access time.
    names.iter().for_each(|(name, minutes_ago)| opened(name, *minutes_ago));
    let run = |arguments: &[&str]| sandbox.command(arguments).env("TZ", &zone).output().unwrap();
    let ran = run(&["find", "--json", "deck", "--opened", "yesterday"]);
    let mut found: Vec<String> = Ran::from(ran)
        .json()
        .iter()
        .filter(|line| line["type"] == "hit")
        .filter_map(|hit| Some(hit["path"].as_str()?.rsplit('/').next()?.to_owned()))
        .collect();
    found.sort();
    assert_eq!(found, ["deck early.odp", "deck late.odp"], "in the zone {zone}");
}

/// A zone in which the clock was put forward or back yesterday, and in which it is half past midnight now.
fn zone_of_a_changed_clock(now: SystemTime, is_put_forward: bool) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap().as_secs();
    let minutes = i64::try_from(seconds / 60 % 1440).unwrap();
    let east = (30 - minutes + 720).rem_euclid(1440) - 720;
    let local = jiff::Timestamp::from_second(i64::try_from(seconds).unwrap() + east * 60).unwrap();
    let yesterday = local.to_zoned_datetime(jiff::tz::TimeZone::UTC).date().yesterday().unwrap();
    // Days are counted from 0 and know leap days; the other change is half a year away.
    let day = i64::from(yesterday.day_of_year()) - 1;
    let other = (day + 180) % 365;
    // The sign of such a zone is that of the way back to UTC.
    let offset =
        |east: i64| format!("{}{:02}:{:02}", if east > 0 { '-' } else { '+' }, east.abs() / 60, east.abs() % 60);
    if is_put_forward {
        format!("<STD>{}<DST>{},{day}/2,{other}/2", offset(east - 60), offset(east))
    } else {
        format!("<STD>{}<DST>{},{other}/2,{day}/3", offset(east), offset(east + 60))
    }
}

#[test]
fn f28_a_day_on_which_the_clock_was_changed_is_a_whole_day_all_the_same() {
    for (is_put_forward, hours) in [(true, 23), (false, 25)] {
        let sandbox = Sandbox::new();
        let now = SystemTime::now();
        let zone = zone_of_a_changed_clock(now, is_put_forward);
        // Minutes ago: yesterday began when its hours, and today's first half, had not passed.
        let began = 30 + hours * 60;
        let names = [
            ("deck 23:50 yesterday.odp", 40),
            ("deck 00:05 yesterday.odp", began - 5),
            ("deck 23:50 the day before.odp", began + 10),
            ("deck today.odp", 20),
        ];
        for (name, _) in names {
            sandbox.write(name, "a deck\n");
        }
        sandbox.index();
        for (name, minutes_ago) in names {
            let times = FileTimes::new()
                .set_modified(now - Duration::from_secs(40 * 24 * 3600))
                .set_accessed(now - Duration::from_secs(minutes_ago * 60));
            File::options().write(true).open(sandbox.files().join(name)).unwrap().set_times(times).unwrap();
        }
        let arguments = ["find", "--json", "deck", "--opened", "yesterday"];
        let ran = Ran::from(sandbox.command(&arguments).env("TZ", &zone).output().unwrap());
        let mut found: Vec<String> = ran
            .json()
            .iter()
            .filter(|line| line["type"] == "hit")
            .filter_map(|hit| Some(hit["path"].as_str()?.rsplit('/').next()?.to_owned()))
            .collect();
        found.sort();
        assert_eq!(found, ["deck 00:05 yesterday.odp", "deck 23:50 yesterday.odp"], "in the zone {zone}: {ran:?}");
    }
}
