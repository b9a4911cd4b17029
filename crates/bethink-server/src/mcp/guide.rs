//! The agent guide, in the two forms in which it is served.

/// The whole guide, as `docs/guide/agents.md` has it; served as the prompt `how-to-search`.
pub const GUIDE: &str = include_str!("../../../../docs/guide/agents.md");

const BEGIN: &str = "<!-- instructions: begin -->";
const END: &str = "<!-- instructions: end -->";

/// The guide's summary, which hosts put before the model with the list of tools: the stretch
/// between two marks in the guide, so that the two cannot disagree.
pub fn instructions() -> &'static str {
    let Some((_, after)) = GUIDE.split_once(BEGIN) else { return GUIDE };
    after.split_once(END).map_or(after, |(summary, _)| summary).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_short_and_name_every_tool() {
        let instructions = instructions();
        assert!(instructions.len() < 2_400, "{} bytes", instructions.len());
        for tool in crate::tool::TOOLS {
            assert!(instructions.contains(tool.name), "{} is not in the instructions", tool.name);
            assert!(GUIDE.contains(tool.name), "{} is not in the guide", tool.name);
        }
        assert!(!instructions.contains("<!--"));
    }
}
