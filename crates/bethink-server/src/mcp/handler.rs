//! The service: what the protocol asks, answered by the tools.

use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage, Role, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};

use super::guide::{GUIDE, instructions};
use crate::tool::{self, Desk, Room, Said, TOOLS, Trouble};

/// The prompt's name.
const PROMPT: &str = "how-to-search";

/// What answers the protocol.
#[derive(Clone)]
pub(crate) struct Handler {
    desk: Desk,
    tools: Arc<Vec<Tool>>,
    version: Arc<str>,
}

impl Handler {
    pub(crate) fn new(desk: Desk, version: &str) -> Self {
        Self { desk, tools: Arc::new(listed()), version: version.into() }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut implementation = Implementation::new("bethink", self.version.as_ref());
        implementation.title = Some("bethink: find anything on this machine".to_owned());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_prompts().build())
            .with_server_info(implementation)
            .with_instructions(instructions())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.as_ref().clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(card) = tool::named(&request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let message = format!("There is no such tool. The tools are {}.", names.join(", "));
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
        };
        tokio::select! {
            outcome = self.desk.call(card, request.arguments, Room::Tokens) => Ok(said(outcome).into()),
            // Nobody reads the answer to a cancelled request; the error only ends its task.
            () = context.ct.cancelled() => Err(ErrorData::new(ErrorCode::INVALID_REQUEST, "cancelled", None)),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let says = "How to search this machine with bethink: which tool, which arguments, when to stop.";
        let prompt = Prompt::new(PROMPT, Some(says), None).with_title("How to search");
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != PROMPT {
            let message = format!("There is no such prompt. The only one is {PROMPT}.");
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
        }
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, GUIDE)]).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A method that we do serve lands here when its parameters are of the wrong shape.
        if matches!(request.method.as_str(), "tools/call" | "prompts/get" | "tools/list" | "prompts/list") {
            let message = format!("The params of {} are not well formed.", request.method);
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
        }
        let message = "There is no such method here. This server has tools and prompts.";
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }
}

/// The tools as the protocol lists them.
fn listed() -> Vec<Tool> {
    TOOLS
        .iter()
        .map(|card| {
            let hints = ToolAnnotations::with_title(card.title)
                .read_only(!card.writes)
                .destructive(false)
                .idempotent(true)
                .open_world(false);
            Tool::new(card.name, card.says, tool::input_schema(card.arguments))
                .with_title(card.title)
                .with_raw_output_schema(Arc::new(card.output_schema()))
                .with_annotations(hints)
        })
        .collect()
}

/// An answer as the protocol carries it. What a tool cannot do is an answer, too.
fn said(outcome: Result<Said, Trouble>) -> CallToolResult {
    match outcome {
        Ok(Said { text, structured }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(structured);
            result
        }
        Err(trouble) => CallToolResult::error(vec![ContentBlock::text(trouble.to_string())]),
    }
}
