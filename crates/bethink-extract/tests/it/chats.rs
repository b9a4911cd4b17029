//! Exports of chats, each in the words of the program that wrote it.

use std::path::Path;

use bethink_core::{Extracted, Format, Locator, ProblemKind};
use bethink_extract::{Extraction, Extractor, ExtractorSettings, sniff};

use crate::shared;

#[track_caller]
fn chat(name: &str, source: &str) -> Extracted {
    let extractor = Extractor::new(ExtractorSettings::default());
    match extractor.extract(Path::new(name), source.as_bytes()) {
        Extraction::Text(extracted) => {
            assert_eq!(extracted.format, Format::Chat);
            extracted
        }
        Extraction::Skipped(problem) | Extraction::Failed(problem) => panic!("no text: {problem:?}"),
    }
}

/// The numbers of the messages that are marked.
fn numbers(extracted: &Extracted) -> Vec<u32> {
    let number = |locator: &Locator| if let Locator::Message(number) = locator { Some(*number) } else { None };
    extracted.marks.iter().filter_map(|mark| number(&mark.locator)).collect()
}

#[test]
fn chatgpt_conversations_follow_their_tree() {
    let source = r###"[{"title": "Trams of Lisbon", "create_time": 1714566600.0, "update_time": 1.0, "mapping": {
        "z": {"id": "z", "message": null, "parent": null, "children": ["s", "a"]},
        "s": {"id": "s", "message": {"author": {"role": "system"}, "content": {"content_type": "text", "parts": ["hidden"]},
            "metadata": {"is_visually_hidden_from_conversation": true}}, "parent": "z", "children": []},
        "a": {"id": "a", "message": {"author": {"role": "user"}, "create_time": 1714566600.5,
            "content": {"content_type": "multimodal_text", "parts": [{"asset_pointer": "x"}, "Which tram climbs?"]},
            "metadata": {"attachments": [{"name": "map.pdf"}]}}, "parent": "z", "children": ["c", "b"]},
        "b": {"id": "b", "message": {"author": {"role": "assistant"}, "create_time": 1714566720,
            "content": {"content_type": "text", "parts": ["## Answer\nLine 28 \ud83d\ude8b\n```\n# open"]}}, "parent": "a", "children": ["a"]},
        "c": {"id": "c", "message": {"author": {"role": "assistant"}, "create_time": null,
            "content": {"content_type": "text", "parts": ["Line 12"]}}, "parent": "a", "children": []}
        }, "current_node": "b"}, {"title": "Empty", "create_time": 1, "mapping": {}},
        {"title": "Hills", "create_time": 1, "mapping": {"r": {"id": "r", "message":
            {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["How many?"]}}, "children": []}}}]"###;
    let extracted = chat("conversations.json", source);
    assert_eq!(
        extracted.text,
        "# Trams of Lisbon\n\nUser, 2024-05-01 12:30: Which tram climbs?\n(file: map.pdf)\n\nChatGPT: Line 12\n\n\
         ChatGPT, 2024-05-01 12:32:\n**Answer**\nLine 28 🚋\n```\n# open\n```\n\n# Hills\n\nUser: How many?\n\n"
    );
    assert_eq!(numbers(&extracted), [1, 2, 3, 4]);
    assert_eq!(extracted.title, None);
    let trails = bethink_text::HeadingTrails::of(&extracted);
    let under = |phrase: &str| trails.at(extracted.text.find(phrase).unwrap());
    assert_eq!(under("Line 28"), ["Trams of Lisbon"]);
    assert_eq!(under("How many"), ["Hills"]);
}

#[test]
fn claude_conversations_keep_their_attachments_words() {
    let source = r#"[{"uuid": "1", "name": "Budget", "created_at": "x", "chat_messages": [
        {"uuid": "2", "text": "flat", "sender": "human", "created_at": "2024-05-01T12:30:15.1Z",
         "content": [{"type": "text", "text": "Sum this"}],
         "attachments": [{"file_name": "b.csv", "extracted_content": "rent,900"}], "files": [{"file_name": "c.png"}]},
        {"uuid": "3", "text": "", "sender": "assistant", "created_at": "2024-05-01T12:31:15.1Z", "content": [
         {"type": "thinking", "thinking": "no"}, {"type": "text", "text": "It is 900."},
         {"type": "tool_use", "name": "artifacts", "input": {"title": "Table", "content": "Rent 900"}}]}]}]"#;
    let extracted = chat("conversations.json", source);
    assert_eq!(
        extracted.text,
        "# Budget\n\nUser, 2024-05-01 12:30: Sum this\n\n(file: b.csv)\n\nrent,900\n(file: c.png)\n\n\
         Claude, 2024-05-01 12:31: It is 900.\n\nTable\n\nRent 900\n\n"
    );
    assert_eq!(extracted.title.as_deref(), Some("Budget"));
}

#[test]
fn a_slack_day_names_people_and_links() {
    let source = r#"[{"type": "message", "user": "U1", "text": "<@U1> see <https://x.org|the plan> &amp; <#C1|trams> <!here>",
        "ts": "1714566600.000100", "user_profile": {"real_name": "Ana Silva", "display_name": ""}},
        {"type": "message", "user": "U2", "text": "thanks <@U1>", "ts": "1714566660.000200",
         "files": [{"name": "plan.pdf"}]},
        {"type": "message", "subtype": "bot_message", "username": "deploy", "text": "", "ts": "1714566720.000300",
         "attachments": [{"title": "Build", "text": "it <https://y> failed", "fallback": "no"}]}]"#;
    assert_eq!(
        chat("2024-05-01.json", source).text,
        "Ana Silva, 2024-05-01 12:30: @Ana Silva see the plan (https://x.org) & #trams @here\n\n\
         U2, 2024-05-01 12:31: thanks @Ana Silva\n(file: plan.pdf)\n\n\
         deploy, 2024-05-01 12:32: Build\nit https://y failed\n\n"
    );
}

#[test]
fn discord_telegram_and_messenger_threads_are_read() {
    let discord = r#"{"guild": {"name": "Hill club"}, "channel": {"type": "GuildTextChat", "name": "general"},
        "dateRange": {"after": null}, "messages": [{"id": "1", "timestamp": "2024-05-01T12:30:15.123+02:00",
        "content": "hello", "author": {"name": "ana", "nickname": "Ana"}, "attachments": [{"fileName": "a.png"}],
        "embeds": [{"title": "Tram", "description": "climbs"}]}]}"#;
    let extracted = chat("general.json", discord);
    assert_eq!(extracted.text, "# Hill club: general\n\nAna, 2024-05-01 12:30: hello\nTram\nclimbs\n(file: a.png)\n\n");
    assert_eq!(extracted.title.as_deref(), Some("Hill club: general"));
    let telegram = r#"{"about": "Here is the data you requested. Telegram", "personal_information": {"user_id": 1},
        "chats": {"about": "x", "list": [
        {"name": "Ana", "type": "personal_chat", "id": 1, "messages": [
          {"id": 1, "type": "service", "date": "2024-05-01T12:29:00", "actor": "Ana", "action": "phone_call", "text": ""},
          {"id": 2, "type": "message", "date": "2024-05-01T12:30:00", "from": "Ana", "from_id": "user1",
           "text": ["see ", {"type": "link", "text": "https://x.org"}, "!"], "file": "files/plan.pdf"}]},
        {"name": null, "type": "saved_messages", "id": 2, "messages": [
          {"id": 3, "type": "message", "date": "2024-05-02T08:00:00", "from": "Me", "from_id": "user2", "text": "note"}]}]}}"#;
    assert_eq!(
        chat("result.json", telegram).text,
        "# Ana\n\nAna, 2024-05-01 12:30: see https://x.org!\n(file: plan.pdf)\n\nMe, 2024-05-02 08:00: note\n\n"
    );
    let messenger = r#"{"participants": [{"name": "Jos\u00c3\u00a9"}], "messages": [
        {"sender_name": "Ana", "timestamp_ms": 1714566660000, "content": "second"},
        {"sender_name": "Jos\u00c3\u00a9", "timestamp_ms": 1714566600000, "content": "ol\u00c3\u00a1"}],
        "title": "Jos\u00c3\u00a9", "is_still_participant": true}"#;
    assert_eq!(
        chat("message_1.json", messenger).text,
        "# José\n\nJosé, 2024-05-01 12:30: olá\n\nAna, 2024-05-01 12:31: second\n\n"
    );
}

#[test]
fn sessions_of_agents_keep_what_was_said_and_done() {
    let claude = concat!(
        r#"{"type":"summary","summary":"Fix the tram","leafUuid":"x"}"#,
        "\n",
        r#"{"type":"user","sessionId":"s","timestamp":"2024-05-01T12:30:00Z","message":{"role":"user","content":"why does it stop?"}}"#,
        "\n",
        r#"{"type":"assistant","sessionId":"s","timestamp":"2024-05-01T12:31:00Z","message":{"role":"assistant","content":[{"type":"text","text":"Let me look."},{"type":"tool_use","name":"Bash","input":{"command":"cat log","description":"Read"}}]}}"#,
        "\nnot json\n",
        r#"{"type":"user","sessionId":"s","timestamp":"2024-05-01T12:32:00Z","message":{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"brake"}]}]}}"#,
        "\n"
    );
    let extracted = chat("session.jsonl", claude);
    assert_eq!(
        extracted.text,
        "# Fix the tram\n\nUser, 2024-05-01 12:30: why does it stop?\n\nAssistant, 2024-05-01 12:31: Let me look.\n\n\
         Bash, 2024-05-01 12:31: Read\ncat log\n\noutput, 2024-05-01 12:32: brake\n\n"
    );
    assert_eq!(extracted.problems[0].kind, ProblemKind::Damaged);
    let codex = concat!(
        r#"{"timestamp":"2024-05-01T12:30:00Z","type":"session_meta","payload":{"id":"x"}}"#,
        "\n",
        r#"{"timestamp":"2024-05-01T12:30:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"},{"type":"input_text","text":"go"}]}}"#,
        "\n",
        r#"{"timestamp":"2024-05-01T12:30:02Z","type":"event_msg","payload":{"type":"user_message","message":"go"}}"#,
        "\n",
        r#"{"timestamp":"2024-05-01T12:30:03Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"ls"}}"#,
        "\n"
    );
    assert_eq!(chat("rollout.jsonl", codex).text, "User, 2024-05-01 12:30: go\n\nshell, 2024-05-01 12:30: ls\n\n");
}

#[test]
fn a_whatsapp_chat_keeps_its_lines() {
    let source = "31.12.23, 21:40 - Nachrichten sind verschlüsselt.\n31.12.23, 21:41 - Ana: hallo\nzweite Zeile\n\
        31.12.23, 21:42 - Bo: ja\n";
    let extracted = chat("WhatsApp Chat mit Ana.txt", source);
    assert_eq!(extracted.text, source);
    assert_eq!(numbers(&extracted), [1, 2, 3]);
    let second = extracted.text.find("zweite").unwrap();
    assert_eq!(*extracted.locator_at(second), Locator::Message(2));
}

#[test]
fn an_export_that_breaks_off_keeps_what_came_before() {
    let source = r#"[{"type": "message", "user": "U1", "text": "kept", "ts": "1714566600.000100"}, {"type": "mess"#;
    let extracted = chat("day.json", source);
    assert_eq!(extracted.text, "U1, 2024-05-01 12:30: kept\n\n");
    assert_eq!(extracted.problems[0].kind, ProblemKind::Damaged);
}

#[test]
fn json_that_is_no_chat_stays_json() {
    for source in
        [r#"[{"type": "message", "text": "x"}]"#, r#"{"messages": [], "type": "x"}"#, r#"{"name": "x", "text": 1}"#]
    {
        assert_eq!(sniff(source.as_bytes(), Some("json")), Format::Json);
    }
}

#[test]
fn the_sample_archive_of_a_channel_is_read_day_by_day() {
    let Some(folder) = shared::files() else { return };
    let bytes = std::fs::read(folder.join("zip/testarchive.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut days = 0;
    for place in 0..archive.len() {
        let mut entry = archive.by_index(place).unwrap();
        let name = entry.name().unwrap().into_owned();
        if !name.contains("/2016-") {
            continue;
        }
        let mut source = String::new();
        std::io::Read::read_to_string(&mut entry, &mut source).unwrap();
        let extracted = chat(&name, &source);
        assert!(extracted.problems.is_empty(), "{name}");
        let messages = source.matches("\"ts\":").count();
        assert!(numbers(&extracted).len().abs_diff(messages) <= messages / 4, "{name}");
        days += 1;
    }
    assert!(days > 10);
}
