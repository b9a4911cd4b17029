//! With the real models: found by meaning, vectors that follow their bytes, models that never mix.
//! F17, F21, F26, F29. Skipped, and said so, where `BETHINK_TEST_MODELS` names no folder of models.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::{Ran, Sandbox};

/// The containers of the static model and the transformer.
fn models() -> Option<[PathBuf; 2]> {
    let folder = PathBuf::from(std::env::var_os("BETHINK_TEST_MODELS").unwrap_or_default());
    let models = ["potion-base-8m", "all-minilm-l6-v2"].map(|name| folder.join(format!("{name}.bethink-model")));
    if models.iter().all(|model| model.is_file()) {
        return Some(models);
    }
    eprintln!("skipped: BETHINK_TEST_MODELS names no folder with the default models");
    None
}

fn run(mut command: Command) -> Ran {
    Ran::from(command.output().unwrap())
}

fn add(sandbox: &Sandbox, model: &Path) {
    let ran = sandbox.run(&["models", "add", model.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

const ESSAY: &str = "# What a heavyweight's glove really delivers

Boxers talk about power as if it were a gift. A laboratory in Manchester measured it: a trained man swings
from the hips and lands with the weight of half his body behind the knuckles, some five thousand newtons in a
few thousandths of a second.

## Bones

The mandible is a horseshoe hung from two small hinges. Struck from the side it bends before it breaks, and it
breaks where it is thinnest, behind the last molar or at the hinge. Surgeons who pressed donated ones in a vice
put the limit between three and four thousand newtons, so a clean hook leaves little to spare.

## Gloves

Padding spreads the blow over time. It saves the fist more than the face.
";

#[test]
fn f29_an_essay_is_found_from_a_vague_memory_of_it() {
    let Some(models) = models() else { return };
    let sandbox = Sandbox::new();
    models.iter().for_each(|model| add(&sandbox, model));
    sandbox.write("essays/gloves.md", ESSAY);
    let subjects = [
        ("garden", "The tomatoes want a sunny wall and water in the evening, never on the leaves."),
        ("travel", "We took the night train to Lisbon and walked down to the river at dawn."),
        ("code", "The parser keeps a stack of open brackets and reports the first one that is never closed."),
        ("money", "Rent went up in April, so the budget for books has to come from somewhere else."),
        ("physics", "A falling stone gains speed until the air pushes back as hard as the earth pulls."),
        ("sport", "The relay team dropped the baton in the second change and still came third."),
    ];
    sandbox.write("dentist.md", "The dentist found nothing, but my jaw still aches when I chew on the left side.\n");
    for number in 0..240 {
        let (subject, text) = subjects[number % subjects.len()];
        sandbox.write(format!("{subject}/{number}.md"), format!("# Note {number}\n\n{text}\n\nEntry {number}.\n"));
    }
    let files = sandbox.files();
    assert_eq!(sandbox.run(&["index", "--full", "--fast", files.to_str().unwrap()]).code, 0);
    let ran = sandbox.run(&["grep", "--json", "calculating the punch force that could snap a jaw"]);
    let hits = ran.json();
    let place = hits.iter().position(|hit| hit["path"].as_str().is_some_and(|path| path.ends_with("gloves.md")));
    assert!(place.is_some_and(|place| place < 2), "{ran:?}");
    let line = hits[place.unwrap()]["line"].as_u64().unwrap();
    assert!((7..=13).contains(&line), "at the paragraph on bones, not line {line}");
    let nothing = sandbox.run(&["grep", "--json", "kubernetes ingress certificate rotation"]);
    assert_ne!(nothing.json()[0]["match"], "strong", "{nothing:?}");
}

#[test]
fn f17_and_f21_vectors_follow_their_bytes() {
    let Some(models) = models() else { return };
    let sandbox = Sandbox::new();
    models.iter().for_each(|model| add(&sandbox, model));
    for number in 0..12 {
        let sections: String = (0..6)
            .map(|section| format!("## Part {section}\n\nIn part {section} of note {number} the weather turns.\n\n"))
            .collect();
        sandbox.write(format!("{number}.md"), format!("# Note {number}\n\n{sections}"));
    }
    let full = |sandbox: &Sandbox| {
        let files = sandbox.files();
        let ran = sandbox.run(&["index", "--json", "--full", "--fast", files.to_str().unwrap()]);
        ran.json().into_iter().find(|line| line["type"] == "summary").unwrap()
    };
    let first = full(&sandbox);
    assert!(first["embedded"].as_u64().unwrap() >= 24, "{first}");
    fs::create_dir(sandbox.files().join("moved")).unwrap();
    fs::rename(sandbox.files().join("3.md"), sandbox.files().join("moved/three.md")).unwrap();
    fs::copy(sandbox.files().join("4.md"), sandbox.files().join("copy of 4.md")).unwrap();
    let moved = full(&sandbox);
    assert_eq!((moved["moved"].as_u64(), moved["embedded"].as_u64()), (Some(1), Some(0)), "{moved}");
    let long: String =
        (0..40).map(|part| format!("## Part {part}\n\n{}\n\n", format!("Words of part {part}. ").repeat(30))).collect();
    sandbox.write("long.md", &long);
    let whole = full(&sandbox)["embedded"].as_u64().unwrap();
    sandbox.write("long.md", format!("A new paragraph at the top.\n\n{long}"));
    let edited = full(&sandbox)["embedded"].as_u64().unwrap();
    assert!(edited <= 3 * 2 && whole >= 40, "an edit embedded {edited} of {whole}");
}

#[test]
fn f26_vectors_of_one_model_are_never_compared_with_another_ones() {
    let Some(models) = models() else { return };
    let sandbox = Sandbox::new();
    let [small, large] = &models;
    add(&sandbox, small);
    sandbox.write("a.md", "The curlew calls over the marsh at night.\n");
    sandbox.write("b.md", "A list of spare parts for the bicycle.\n");
    sandbox.index();
    let model_file = fs::read_dir(sandbox.data_home().join("models")).unwrap().flatten().next().unwrap().path();
    fs::remove_file(model_file).unwrap();
    add(&sandbox, large);
    let mut command = sandbox.command(&["grep", "--json", "curlew"]);
    command.env("BETHINK_LOG", "warn");
    let ran = run(command);
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines = ran.json();
    assert!(lines[0]["path"].as_str().unwrap().ends_with("a.md"), "words still answer: {ran:?}");
    let status = sandbox.run(&["status"]);
    assert!(status.stdout.contains("not installed"), "{status:?}");
}

#[test]
fn a_bad_model_is_refused_with_a_reason() {
    let sandbox = Sandbox::new();
    let wrong = sandbox.write("model.safetensors", b"not a model at all");
    let ran = sandbox.run(&["models", "add", wrong.to_str().unwrap()]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("model.safetensors"), "{ran:?}");
    assert_eq!(sandbox.run(&["models", "list"]).code, 1);
    assert_eq!(sandbox.run(&["models", "add", "nowhere.whl"]).code, 2);
}
