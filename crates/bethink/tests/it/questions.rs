//! Questions of every shape find what stands there: F1, F9, F10, F11, F25.

use crate::sandbox::Sandbox;

#[test]
fn f1_words_without_spaces_are_found_without_a_model() {
    let sandbox = Sandbox::new();
    sandbox.write("contract.md", "中文合約轉換體驗課問題\n");
    sandbox.write("device.md", "公司設備清單在這裡\n");
    sandbox.write("game.md", "今日は成語しりとりをした\n");
    sandbox.write("korean.md", "끝말잇기 놀이\n");
    sandbox.write("mixed.md", "重跑gen-itgc后50条\n");
    sandbox.index();
    for (query, file) in [
        ("合約", "contract.md"),
        ("設備", "device.md"),
        ("しりとり", "game.md"),
        ("끝말잇기", "korean.md"),
        ("itgc", "mixed.md"),
    ] {
        assert_eq!(sandbox.grep(query).first().map(String::as_str), Some(file), "{query}");
    }
}

#[test]
fn f9_a_scope_is_searched_inside_and_says_what_it_hides() {
    let sandbox = Sandbox::new();
    for number in 0..1500 {
        sandbox.write(format!("big/{:02}/{number}.md", number % 40), format!("budget budget plan number {number}\n"));
    }
    for number in 0..5 {
        sandbox.write(
            format!("small/{number}.md"),
            format!("a long text in which the budget is named once, number {number}\n"),
        );
    }
    sandbox.index();
    let hits = sandbox.hits(&["grep", "--in", "small", "budget"]);
    assert_eq!(hits.len(), 5, "{hits:?}");
    assert!(hits.iter().all(|hit| hit.starts_with("small/")));
    let told = sandbox.run(&["grep", "--in", "small", "budget"]);
    assert!(told.stderr.contains("outside"), "{told:?}");
    let file = sandbox.hits(&["grep", "--in", "small/3.md", "budget"]);
    assert_eq!(file, ["small/3.md"]);
    let missing = sandbox.run(&["grep", "--in", "nowhere", "budget"]);
    assert_eq!(missing.code, 2, "{missing:?}");
}

#[test]
fn f10_nothing_that_can_be_typed_is_an_error() {
    let sandbox = Sandbox::new();
    let literals =
        ["1.0.21", "a-b", "foo:bar(", "don't use agents", "GB/s", "grammar::fa", "TODO: fix", "C++", ".env.local"];
    for (number, literal) in literals.iter().enumerate() {
        sandbox.write(format!("{number}.txt"), format!("Some words before, then {literal} and some words after.\n"));
        sandbox.write(format!("other-{number}.txt"), "A page about gardens, weather and the long way home.\n");
    }
    sandbox.index();
    for (number, literal) in literals.iter().enumerate() {
        let hits = sandbox.grep(literal);
        assert_eq!(hits.first().map(String::as_str), Some(format!("{number}.txt").as_str()), "{literal}: {hits:?}");
    }
    for number in 0..20 {
        sandbox.write(
            format!("parts/{number}.txt"),
            "foo bar, and bar foo, and grammar fa: all the parts, again foo bar.\n",
        );
    }
    sandbox.write("symbols.txt", "a -> b :: c ?? d\n");
    sandbox.index();
    assert_eq!(sandbox.grep("foo:bar(").first().map(String::as_str), Some("2.txt"), "the literal before its parts");
    assert_eq!(sandbox.grep("\"foo:bar(\""), ["2.txt"], "what is quoted must stand there as written");
    assert_eq!(sandbox.grep("->"), ["symbols.txt"]);
    assert_eq!(sandbox.grep("??"), ["symbols.txt"]);
    for odd in ["NEAR(", "a AND", "*", "\"", "\\", "(((", "title:", "-", "--", "^", "~", "[", "'", "a* b", "+x -y"] {
        let ran = sandbox.run(&["grep", "--", odd]);
        assert!(
            ran.code == 0 || ran.code == 1 || (ran.code == 2 && ran.stderr.contains("type what you remember")),
            "{odd}: {ran:?}"
        );
        assert!(!ran.stderr.contains("panicked"), "{odd}: {ran:?}");
    }
    let long = "word ".repeat(2000);
    let ran = sandbox.run(&["grep", "--", &long]);
    assert!(ran.code <= 1, "{}", ran.stderr);
    let empty = sandbox.run(&["grep", ""]);
    assert_eq!(empty.code, 2);
    assert!(empty.stderr.contains("type what you remember"), "{empty:?}");
}

#[test]
fn f11_no_word_is_mandatory_unless_quoted() {
    let sandbox = Sandbox::new();
    sandbox.write("lisbon.md", "tram 28 ride in Lisbon\n");
    sandbox.write("porto.md", "the river in Porto, seen from a bridge\n");
    sandbox.index();
    for query in ["where was the tram ride?", "Lisbon tram", "tram zebrafish"] {
        assert_eq!(sandbox.grep(query).first().map(String::as_str), Some("lisbon.md"), "{query}");
    }
    assert_eq!(sandbox.grep("\"ride in Lisbon\""), ["lisbon.md"]);
    assert!(sandbox.grep("\"Lisbon in ride\"").is_empty());
}

#[test]
fn f25_a_question_over_mixed_files_lands_on_the_passage() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "queue.md",
        "# Queue\n\nThe queue holds documents in order.\n\n## Retries\n\nA failed document is retried with exponential \
         backoff: after one second, then two, then four.\n\n## Metrics\n\nCounts go to the status page.\n",
    );
    sandbox.write("cooking.md", "# Soup\n\nLet it simmer, and do not document failures.\n");
    sandbox.write("main.py", "def main():\n    print('how do I start')\n");
    sandbox.index();
    let ran = sandbox.run(&["grep", "--json", "how do I retry failed documents with backoff"]);
    let first = &ran.json()[0];
    assert!(first["path"].as_str().unwrap().ends_with("queue.md"), "{first}");
    assert_eq!(first["line"], 7, "{first}");
}

#[test]
fn a_nonsense_question_gets_none_and_says_where_it_looked() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "The garden in spring.\n");
    sandbox.index();
    let ran = sandbox.run(&["grep", "zebrafish quantum marmalade sentinel"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.is_empty());
    assert!(ran.stderr.contains("nothing relevant in 1 document"), "{ran:?}");
}
