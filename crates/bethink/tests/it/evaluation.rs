//! `bethink eval`: collections in, figures out, and the same figures as an independent scorer's.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, shared};

fn write_collection(sandbox: &Sandbox) -> String {
    let folder = sandbox.user_home().join("collection");
    fs::create_dir_all(&folder).unwrap();
    let lines = |values: &[Value]| values.iter().map(|value| format!("{value}\n")).collect::<String>();
    let corpus = [
        json!({"_id": "d/1", "title": "Bread", "text": "Knead the dough, let it rest.\nBake until brown."}),
        json!({"_id": "d 2", "title": "", "text": "The tram climbs the hill in Lisbon."}),
        json!({"_id": "3", "title": "Long", "text": "nothing\n\n\n\n\n\nhere\n\n\n\n\n\nthe lighthouse keeper writes at night", "path": "notes/long.md"}),
    ];
    let queries = [
        json!({"_id": "q1", "text": "knead dough", "meta": {}}),
        json!({"_id": "q2", "text": "lighthouse keeper", "meta": {}}),
        json!({"_id": "q3", "text": "zebrafish quantum marmalade", "meta": {}}),
    ];
    fs::write(folder.join("corpus.jsonl"), lines(&corpus)).unwrap();
    fs::write(folder.join("queries.jsonl"), lines(&queries)).unwrap();
    fs::write(folder.join("qrels.tsv"), "q\td\ts\nq1\td/1\t1\nq2\t3\t1\n").unwrap();
    fs::write(folder.join("passages.tsv"), "q\td\ta\tb\ts\nq2\t3\t13\t13\t1\n").unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn a_collection_is_asked_judged_and_compared_with_itself() {
    let sandbox = Sandbox::new();
    let collection = write_collection(&sandbox);
    let run = sandbox.user_home().join("run.jsonl");
    let run = run.to_str().unwrap();
    let first = sandbox.run(&["eval", &collection, "--words-only", "--json", "--run", run]);
    assert_eq!(first.code, 0, "{first:?}");
    let figures = &first.json()[0];
    for (name, value) in [("ndcg10", 1.0), ("success1", 1.0), ("p_success1", 1.0), ("land", 1.0), ("neg_empty", 1.0)] {
        assert_eq!(figures[name], value, "{name}: {figures}");
    }
    assert_eq!((&figures["n"], &figures["neg_n"]), (&json!(2), &json!(1)));
    let again = sandbox.run(&["eval", &collection, "--words-only", "--json", "--against", run]);
    assert_eq!(again.json()[0]["against"]["ndcg10"]["difference"], 0.0, "{again:?}");
    let told = sandbox.run(&["eval", &collection, "--words-only", "--against", run]);
    assert!(told.stdout.contains("ndcg10") && told.stdout.contains("better on 0, worse on 0 of 2"), "{told:?}");
}

#[test]
fn a_folder_that_is_no_collection_says_what_to_type() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "words\n");
    let ran = sandbox.run(&["eval", sandbox.files().to_str().unwrap(), "--words-only"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("--queries GOLD.jsonl"), "{ran:?}");
}

#[test]
fn the_figures_are_those_of_the_independent_scorer() {
    let scorer = shared().map(|shared| shared.join("harness/evalkit.py")).filter(|path| path.is_file());
    let Some(scorer) = scorer else {
        eprintln!("left out: no independent scorer in ../shared/harness");
        return;
    };
    let set = shared().map(|shared| shared.join("data/search/locomo-dev")).unwrap();
    let sandbox = Sandbox::new();
    let files = sandbox.user_home().join("locomo");
    let python = |arguments: &[&str]| {
        let ran = Command::new("python3").arg(&scorer).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };
    python(&["materialise", set.to_str().unwrap(), files.to_str().unwrap()]);
    let (gold, run) = (sandbox.user_home().join("locomo.gold.jsonl"), sandbox.user_home().join("run.jsonl"));
    let (files, gold, run) = (files.to_str().unwrap(), gold.to_str().unwrap(), run.to_str().unwrap());
    let ours = sandbox.run(&["eval", files, "--queries", gold, "--words-only", "--json", "--run", run]);
    assert_eq!(ours.code, 0, "{ours:?}");
    let ours = &ours.json()[0];
    let theirs: Value = serde_json::from_str(python(&["score", files, run]).trim()).unwrap();
    for name in
        ["ndcg10", "recall5", "recall100", "mrr10", "success1", "dup10", "p_ndcg10", "p_recall10", "p_mrr10", "land"]
    {
        let (ours, theirs) = (ours[name].as_f64().unwrap(), theirs[name].as_f64().unwrap());
        assert!((ours - theirs).abs() < 0.0006, "{name}: {ours} and {theirs}");
    }
}
