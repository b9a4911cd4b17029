//! Who may ask: requests that name this machine by a name of its own, come from no foreign page, and
//! carry the token.
//!
//! A page of a foreign web site can make the user's browser send requests here. Two marks give it
//! away: with a name of its own that resolves to this machine (DNS rebinding) the `Host` is that name,
//! and without one the `Origin` is the page's. The token keeps out everybody else on the machine who
//! cannot read the user's files. Hosts and origins are looked at first, so that a foreign page cannot
//! even try tokens.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::refusal::Refusal;

/// What the gate lets through.
#[derive(Debug)]
pub(crate) struct Gate {
    /// The token.
    pub token: String,
    /// Names that this machine is called by beside `localhost` and its loopback addresses.
    pub hosts: Vec<String>,
    /// Whether the listener can be reached from other machines. Any address may stand in `Host` then:
    /// rebinding needs a name.
    pub is_remote: bool,
}

/// Lets a request through or refuses it.
pub(crate) async fn guard(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let mut response = match gate.check(&request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    // What comes back is private and is data, whatever it looks like.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

impl Gate {
    fn check(&self, request: &Request) -> Result<(), Refusal> {
        let headers = request.headers();
        // A target in absolute form overrides the header (RFC 9112, section 3.2.2).
        let authority = match request.uri().authority() {
            Some(authority) => Some(authority.as_str()),
            None => only(headers, header::HOST)?,
        };
        let Some(authority) = authority.filter(|authority| self.is_ours(authority)) else {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "wrong_host",
                "The Host of this request is no name of this machine.",
                "Ask http://127.0.0.1 or http://localhost with the port; a further name must be allowed: bethink serve \
                 --allow-host NAME",
            ));
        };
        if let Some(origin) = only(headers, header::ORIGIN)?
            && !is_same_origin(origin, authority)
        {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "wrong_origin",
                "This request comes from a page of another site.",
                "Ask from a program, or from a page that this server itself serves.",
            ));
        }
        let is_front_page = request.uri().path() == "/" && matches!(*request.method(), Method::GET | Method::HEAD);
        if is_front_page || only(headers, header::AUTHORIZATION)?.is_some_and(|given| self.admits(given)) {
            return Ok(());
        }
        Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "The token is missing or wrong.",
            "Send the header “Authorization: Bearer TOKEN” with what stands in the file `token` of the data folder; \
             `bethink status` says where that is.",
        ))
    }

    /// Whether the host of `host[:port]` is a name of this machine.
    fn is_ours(&self, authority: &str) -> bool {
        let Some((host, _)) = host_and_port(authority) else { return false };
        if let Ok(address) = host.parse::<IpAddr>() {
            return address.is_loopback() || self.is_remote || self.hosts.iter().any(|known| known == host);
        }
        let host = host.strip_suffix('.').unwrap_or(host);
        host.eq_ignore_ascii_case("localhost") || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    fn admits(&self, authorization: &str) -> bool {
        let Some((scheme, given)) = authorization.split_once(' ') else { return false };
        scheme.eq_ignore_ascii_case("bearer") && is_equal(given.trim().as_bytes(), self.token.as_bytes())
    }
}

/// The only value of a header, `None` where there is none.
///
/// # Errors
/// Several values: two readers could each believe another one.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Result<Option<&str>, Refusal> {
    let mut values = headers.get_all(&name).iter();
    let first = values.next();
    let text = first.map(|value| value.to_str().ok()).unwrap_or(Some("")).filter(|_| values.next().is_none());
    match (first, text) {
        (None, _) => Ok(None),
        (Some(_), Some(text)) => Ok(Some(text)),
        (Some(_), None) => Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "bad_arguments",
            format!("The header {name} stands there several times, or is no plain text."),
            "Send it once.",
        )),
    }
}

/// `host[:port]` apart, the brackets of an IPv6 address taken off; `None` for what is neither.
fn host_and_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            (host, if after.is_empty() { None } else { Some(after.strip_prefix(':')?) })
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let port = match port {
        Some(port) => Some(port.parse().ok()?),
        None => None,
    };
    (!host.is_empty()).then_some((host, port))
}

/// Whether a page of this origin was served by the authority that it now asks (RFC 6454).
fn is_same_origin(origin: &str, authority: &str) -> bool {
    let Some((scheme, page)) = origin.split_once("://") else { return false };
    let usual_port = match scheme {
        "http" => 80,
        // A tunnel that ends before us encrypts on our behalf.
        "https" => 443,
        _ => return false,
    };
    let (Some((page_host, page_port)), Some((host, port))) = (host_and_port(page), host_and_port(authority)) else {
        return false;
    };
    page_host.eq_ignore_ascii_case(host) && page_port.unwrap_or(usual_port) == port.unwrap_or(usual_port)
}

/// Equality in a time that does not depend on where the first difference is.
fn is_equal(given: &[u8], wanted: &[u8]) -> bool {
    let difference = given.iter().zip(wanted).fold(0_u8, |difference, (left, right)| difference | (left ^ right));
    given.len() == wanted.len() && std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use axum::body::Body;

    fn gate(is_remote: bool) -> Gate {
        Gate { token: "secret".to_owned(), hosts: vec!["desk.example".to_owned()], is_remote }
    }

    fn code(gate: &Gate, path: &str, headers: &[(&str, &str)]) -> &'static str {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        match gate.check(&request.body(Body::empty()).unwrap()) {
            Ok(()) => "passed",
            Err(refusal) => {
                let debug = format!("{refusal:?}");
                ["wrong_host", "wrong_origin", "unauthorized", "bad_arguments"]
                    .into_iter()
                    .find(|code| debug.contains(code))
                    .unwrap()
            }
        }
    }

    const TOKEN: (&str, &str) = ("authorization", "Bearer secret");

    #[test]
    fn a_name_that_is_not_ours_is_refused() {
        for host in ["localhost", "LOCALHOST:7717", "127.0.0.1:7717", "127.8.8.8", "[::1]:7717", "localhost.:1"] {
            assert_eq!(code(&gate(false), "/v1/find_file", &[("host", host), TOKEN]), "passed", "{host}");
        }
        for host in ["evil.example:7717", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.5:7717", ""] {
            assert_eq!(code(&gate(false), "/v1/find_file", &[("host", host), TOKEN]), "wrong_host", "{host}");
        }
        for host in ["[::1", "::1", "[::1]x", ":7717", "localhost:port", "localhost:99999"] {
            assert_eq!(code(&gate(false), "/", &[("host", host)]), "wrong_host", "{host}");
        }
        assert_eq!(code(&gate(false), "/", &[]), "wrong_host");
        assert_eq!(code(&gate(false), "http://evil.example/", &[("host", "localhost")]), "wrong_host");
        assert_eq!(code(&gate(false), "/", &[("host", "localhost"), ("host", "evil.example")]), "bad_arguments");
        assert_eq!(code(&gate(false), "/", &[("host", "Desk.Example:7717")]), "passed");
        assert_eq!(code(&gate(true), "/", &[("host", "192.168.1.5:7717")]), "passed");
        assert_eq!(code(&gate(true), "/", &[("host", "evil.example")]), "wrong_host");
    }

    #[test]
    fn a_foreign_page_is_refused_with_or_without_the_token() {
        let from = |origin: &'static str| {
            code(&gate(false), "/v1/find_file", &[("host", "localhost:7717"), ("origin", origin), TOKEN])
        };
        for origin in ["http://localhost:7717", "HTTP://x", "http://LocalHost:7717"] {
            let expected = if origin.starts_with("HTTP") { "wrong_origin" } else { "passed" };
            assert_eq!(from(origin), expected, "{origin}");
        }
        for origin in ["null", "http://evil.example", "http://localhost", "http://localhost:7718", "file://", ""] {
            assert_eq!(from(origin), "wrong_origin", "{origin}");
        }
        let tokenless = [("host", "localhost:7717"), ("origin", "http://evil.example")];
        assert_eq!(code(&gate(false), "/", &tokenless), "wrong_origin");
    }

    #[test]
    fn everything_but_the_front_page_needs_the_token() {
        let with = |path: &str, authorization: &str| {
            code(&gate(false), path, &[("host", "localhost"), ("authorization", authorization)])
        };
        assert_eq!(with("/v1/find_file", "bearer  secret"), "passed");
        for wrong in ["Bearer secre", "Bearer secrets", "Bearer", "secret", "Basic secret", "Bearer SECRET", ""] {
            assert_eq!(with("/v1/find_file", wrong), "unauthorized", "{wrong}");
        }
        for path in ["/v1/index_status", "/openapi.json", "/mcp", "/nowhere", "//"] {
            assert_eq!(code(&gate(false), path, &[("host", "localhost")]), "unauthorized", "{path}");
        }
        assert_eq!(code(&gate(false), "/", &[("host", "localhost")]), "passed");
        assert!(!is_equal(b"", b"secret"));
    }
}
