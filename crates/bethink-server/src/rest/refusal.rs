//! Errors on the wire: one shape, a status that fits, and the next step.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::tool::{Trouble, TroubleKind};
use crate::wire::ErrorObject;

/// What is answered instead of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    status: StatusCode,
    object: ErrorObject,
}

impl Refusal {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Self { status, object: ErrorObject { object: "error", code, message: message.into(), next: next.into() } }
    }
}

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Self {
        let (status, code) = match trouble.kind {
            TroubleKind::Arguments => (StatusCode::BAD_REQUEST, "bad_arguments"),
            TroubleKind::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            TroubleKind::NothingIndexed => (StatusCode::CONFLICT, "nothing_indexed"),
            TroubleKind::Inside => (StatusCode::INTERNAL_SERVER_ERROR, "failed"),
        };
        Self::new(status, code, trouble.what, trouble.next)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let challenge = self.status == StatusCode::UNAUTHORIZED;
        let mut response = (self.status, Json(self.object)).into_response();
        if challenge {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
