//! The service: what the protocol asks, answered by the tools.

use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage, Role, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::guide::{GUIDE, instructions};
use super::run::{self, Surroundings};
use super::tools;
use crate::lazy::LazyEngine;

/// Questions that are worked on at the same time. More would only wait for the same two or four
/// cores and hold their memory while they wait.
pub(crate) const AT_ONCE: usize = 4;

/// The prompt's name.
const PROMPT: &str = "how-to-search";

/// What answers the protocol.
#[derive(Clone)]
pub(crate) struct Handler {
    engine: Arc<LazyEngine>,
    surroundings: Arc<Surroundings>,
    places: Arc<Semaphore>,
    tools: Arc<Vec<Tool>>,
    version: Arc<str>,
}

impl Handler {
    pub(crate) fn new(engine: Arc<LazyEngine>, surroundings: Surroundings, version: &str) -> Self {
        Self {
            engine,
            surroundings: Arc::new(surroundings),
            places: Arc::new(Semaphore::new(AT_ONCE)),
            tools: Arc::new(tools::listed()),
            version: version.into(),
        }
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
        let Some(card) = tools::named(&request.name) else {
            let names: Vec<&str> = tools::TOOLS.iter().map(|tool| tool.name).collect();
            let message = format!("There is no such tool. The tools are {}.", names.join(", "));
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
        };
        // Nobody reads the answer to a cancelled request; the error only ends its task.
        let cancelled = || ErrorData::new(ErrorCode::INVALID_REQUEST, "cancelled", None);
        let place = tokio::select! {
            place = Arc::clone(&self.places).acquire_owned() => place.map_err(|_| cancelled())?,
            () = context.ct.cancelled() => return Err(cancelled()),
        };
        let (engine, surroundings) = (Arc::clone(&self.engine), Arc::clone(&self.surroundings));
        let work = spawn_blocking(move || {
            let result = run::call(card, request.arguments, &engine, &surroundings);
            // The place is given back when the work has ended, not when the client lost interest.
            drop(place);
            result
        });
        tokio::select! {
            result = work => Ok(result.unwrap_or_else(|_| broke_down()).into()),
            () = context.ct.cancelled() => Err(cancelled()),
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

/// What is said when the work panicked: the engine is still there, the next call may go well.
fn broke_down() -> CallToolResult {
    let message = "Something broke down inside while answering; this is a fault of bethink and not of the question. Another \
                   wording may get by it. Tell the user, who can run `bethink doctor`.";
    CallToolResult::error(vec![ContentBlock::text(message)])
}
