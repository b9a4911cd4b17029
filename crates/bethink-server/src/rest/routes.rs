//! The routes.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router, middleware};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use super::gate::{self, Gate};
use super::openapi;
use super::refusal::Refusal;
use crate::mcp::Handler;
use crate::tool::{self, Desk, JsonObject, Room, Said, TOOLS};

/// A body is a few arguments, the longest of which is a query of at most 4,000 characters.
const LONGEST_BODY_BYTES: usize = 64 * 1024;

/// So long a body may take to arrive.
const SLOWEST_BODY: Duration = Duration::from_secs(10);

/// What a browser shows, and whoever tries the port with curl.
const FRONT_PAGE: &str = "\
bethink: finds anything you have read, written or been told, from a vague memory of it.

This server answers for the files of this machine, to programs of this machine. Files are only
read; what is remembered can be added to.

  GET  /v1/note_search?query=...      everything: words, names, meaning
  GET  /v1/semantic_grep?query=...    passages by meaning
  GET  /v1/find_file?query=...        files by name, kind and time
  GET  /v1/read_around?path=...       the text around a hit
  GET  /v1/index_status               what is covered
  GET  /v1/grep_memory?pattern=...    the log, by pattern
  GET  /v1/check_notebook?person=...  what is noted about a person or a topic
  POST /v1/remember                   keep something in the log
  POST /v1/pin                        keep a thought
  POST /v1/note_upsert                write a note
  GET  /openapi.json                  the same for programs
  POST /mcp                           the Model Context Protocol

Every request but this one carries the token, which stands in the file that
`bethink serve` named when it began:

  curl -H \"Authorization: Bearer $(cat TOKENFILE)\" 'http://127.0.0.1:PORT/v1/index_status'
";

#[derive(Clone)]
struct Shared {
    desk: Desk,
    document: Arc<Value>,
}

/// Everything that is served, behind the gate.
pub(crate) fn router(desk: Desk, gate: Gate, version: &str) -> Router {
    let handler = Handler::new(desk.clone(), version);
    // Without sessions nothing is kept for a client that may never come back. The gate has looked at
    // hosts and origins before.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(LONGEST_BODY_BYTES);
    let protocol =
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(NeverSessionManager::default()), config);
    let shared = Shared { desk, document: Arc::new(openapi::document(version)) };
    Router::new()
        .route("/", get(|| async { FRONT_PAGE }))
        .route("/v1/{tool}", get(by_query).post(by_object))
        .route(
            "/openapi.json",
            get(|State(shared): State<Shared>| async move { Json(shared.document.as_ref().clone()) }),
        )
        .with_state(shared)
        .route_service("/mcp", protocol)
        .fallback(no_such_route)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(Arc::new(gate), gate::guard))
}

async fn by_query(
    State(shared): State<Shared>,
    Path(tool): Path<String>,
    query: Result<Query<Vec<(String, String)>>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    // A link, or a page that is fetched ahead, must not be able to write.
    if tool::named(&tool).is_some_and(|card| card.writes) {
        return Err(wrong_method().await);
    }
    let Query(pairs) = query.map_err(|_| {
        Refusal::new(
            StatusCode::BAD_REQUEST,
            "bad_arguments",
            "The query of the address is not well formed.",
            "Write it as name=value&name=value, with %XX for what is not a letter or a digit.",
        )
    })?;
    let mut arguments = JsonObject::new();
    for (name, value) in pairs {
        if arguments.insert(name.clone(), Value::String(value)).is_some() {
            return Err(Refusal::new(
                StatusCode::BAD_REQUEST,
                "bad_arguments",
                format!("“{}” was given twice.", crate::text::shown_line(&name)),
                "Give each argument once.",
            ));
        }
    }
    answer(&shared, &tool, arguments, &headers).await
}

async fn by_object(
    State(shared): State<Shared>,
    Path(tool): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let body = match tokio::time::timeout(SLOWEST_BODY, to_bytes(body, LONGEST_BODY_BYTES)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return Err(Refusal::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                format!("The body is longer than {LONGEST_BODY_BYTES} bytes, or broke off."),
                "Send the arguments of one call.",
            ));
        }
        Err(_) => {
            return Err(Refusal::new(
                StatusCode::REQUEST_TIMEOUT,
                "too_slow",
                format!("The body did not arrive within {} seconds.", SLOWEST_BODY.as_secs()),
                "Send it again, in one piece.",
            ));
        }
    };
    let arguments = if body.trim_ascii().is_empty() {
        JsonObject::new()
    } else {
        serde_json::from_slice(&body).map_err(|error| {
            Refusal::new(
                StatusCode::BAD_REQUEST,
                "bad_arguments",
                format!("The body is no JSON object (line {}, column {}).", error.line(), error.column()),
                "Send the arguments as one object, as {\"query\": \"notes on retry backoff\"}.",
            )
        })?
    };
    answer(&shared, &tool, arguments, &headers).await
}

async fn answer(shared: &Shared, tool: &str, arguments: JsonObject, headers: &HeaderMap) -> Result<Response, Refusal> {
    let Some(card) = tool::named(tool) else {
        let names: Vec<&str> = TOOLS.iter().map(|card| card.name).collect();
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "no_such_tool",
            "There is no such tool.",
            format!("The tools are {}.", names.join(", ")),
        ));
    };
    let Said { text, structured } = shared.desk.call(card, Some(arguments), Room::Whole).await?;
    if wants_text(headers) { Ok((text + "\n").into_response()) } else { Ok(Json(structured).into_response()) }
}

/// Whether plain text is asked for by name, and JSON is not.
fn wants_text(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut wants = (false, false);
    for kind in accepted.flat_map(|value| value.split(',')) {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        wants.0 |= kind.eq_ignore_ascii_case("text/plain");
        wants.1 |= kind.eq_ignore_ascii_case("application/json");
    }
    wants == (true, false)
}

async fn no_such_route() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "no_such_route",
        "There is nothing at this address.",
        "GET / says what there is; GET /openapi.json says it for programs.",
    )
}

async fn wrong_method() -> Refusal {
    Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "wrong_method",
        "This address does not take this method.",
        "Call tools with GET, or with POST, which those that write need; GET / says what there is.",
    )
}
