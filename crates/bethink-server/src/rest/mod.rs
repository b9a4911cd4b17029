//! REST on the loopback interface, and MCP over streamable HTTP on the same port.
//!
//! Promises: the same tools, names, arguments and structured content as MCP, whole instead of cut to
//! a budget of tokens; nothing but the front page and no error tells anything without the token; a page
//! of a foreign web site cannot ask anything, be it by its own name for this machine (DNS rebinding) or
//! by the user's browser (Origin); every error is one shape of JSON that says what to do next; bodies,
//! headers, connections and questions in hand are bounded; an end that is asked for lets the answers in
//! hand go out.
//!
//! Refuses: to write by GET, so that no link and no page fetched ahead changes anything. No cookie, no
//! CORS, no encryption: who wants to reach it from another machine puts a tunnel before it.
//!
//! | route | what |
//! |---|---|
//! | `GET /` | what this is, in words; the only route without the token |
//! | `GET`, `POST` `/v1/{tool}` | one call: arguments in the query or as a JSON object |
//! | `GET /openapi.json` | the routes for programs |
//! | `POST /mcp` | MCP, without sessions |

mod gate;
mod openapi;
mod refusal;
mod routes;
mod serve;

pub use serve::{Ending, RestOptions, serve};
