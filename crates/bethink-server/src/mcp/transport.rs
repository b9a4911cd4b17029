//! Messages over a pair of blocking streams: one thread reads, one writes.
//!
//! ```text
//! stdin ─ reading thread ─┬─ messages ──> service ─ answers ─┐
//!                         └─ refusals ───────────────────────┴─> writing thread ─ stdout
//! ```
//!
//! Why not the transport of the protocol's own library: it drops a line that is not JSON without a
//! word, answers a malformed request without its id (so that the client waits for ever), and writes
//! what it receives to the log. A line is a message, or it is answered with an error that carries
//! the request's id where one can be made out. An answer counts as sent when it was written, so that
//! whoever waits for the last answer before leaving waits for the pipe too.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::thread;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::{Mutex, Notify, mpsc, oneshot};

use super::line::{self, LONGEST_LINE_BYTES, Line};

/// Messages that wait to be taken up by the service; a client that sends more waits in its pipe.
const WAITING_MESSAGES: usize = 64;

/// A message on its way out, and who wants to know when it is written.
struct Outgoing {
    message: ServerJsonRpcMessage,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

/// The ids of requests that have come in and not been answered.
#[derive(Clone, Default)]
struct Pending(Arc<StdMutex<HashSet<RequestId>>>);

impl Pending {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        // Nothing that is done under the lock can leave the set half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a message may be passed on; two requests with one id could not be told apart.
    fn admits(&self, message: &ClientJsonRpcMessage) -> Result<(), RequestId> {
        match message {
            JsonRpcMessage::Request(request) if !self.ids().insert(request.id.clone()) => Err(request.id.clone()),
            JsonRpcMessage::Notification(notification) => {
                // What is cancelled is never answered.
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.ids().remove(id);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn answered(&self, message: &ServerJsonRpcMessage) {
        match message {
            JsonRpcMessage::Response(response) => {
                self.ids().remove(&response.id);
            }
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.ids().remove(id);
                }
            }
            _ => {}
        }
    }
}

/// Two threads and the channels to them. Clones share them, so that a handshake that failed can be
/// followed by another over the same streams.
#[derive(Clone)]
pub(crate) struct Streams {
    incoming: Arc<Mutex<mpsc::Receiver<ClientJsonRpcMessage>>>,
    outgoing: mpsc::Sender<Outgoing>,
    /// Told once when the input has ended.
    pub ended: Arc<Notify>,
    /// Told once when the output cannot be written any more.
    pub broken: Arc<Notify>,
}

impl Streams {
    /// Starts the threads. They end with their streams.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(reader: impl Read + Send + 'static, writer: impl Write + Send + 'static) -> io::Result<Self> {
        let (message_sender, message_receiver) = mpsc::channel(WAITING_MESSAGES);
        let (outgoing, outgoing_receiver) = mpsc::channel(WAITING_MESSAGES);
        let ended = Arc::new(Notify::new());
        let broken = Arc::new(Notify::new());
        let pending = Pending::default();
        let read_pending = pending.clone();
        let (reader_ended, refusals, writer_broken) = (Arc::clone(&ended), outgoing.clone(), Arc::clone(&broken));
        thread::Builder::new().name("mcp-read".to_owned()).spawn(move || {
            let mut reader = BufReader::with_capacity(1 << 16, reader);
            read_all(&mut reader, &message_sender, &refusals, &read_pending);
            reader_ended.notify_one();
        })?;
        thread::Builder::new().name("mcp-write".to_owned()).spawn(move || {
            if write_all(writer, outgoing_receiver, &pending).is_err() {
                writer_broken.notify_one();
            }
        })?;
        Ok(Self { incoming: Arc::new(Mutex::new(message_receiver)), outgoing, ended, broken })
    }
}

impl Transport<RoleServer> for Streams {
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let (written, wait) = oneshot::channel();
            let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
            outgoing.send(Outgoing { message, written: Some(written) }).await.map_err(|_| gone())?;
            wait.await.unwrap_or_else(|_| Err(gone()))
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.lock().await.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn read_all(
    reader: &mut impl BufRead,
    messages: &mpsc::Sender<ClientJsonRpcMessage>,
    refusals: &mpsc::Sender<Outgoing>,
    pending: &Pending,
) {
    loop {
        let understood = match line::next(reader) {
            Ok(Line::Whole(line)) => match understand(&line) {
                Understood::Message(message) => match pending.admits(&message) {
                    Ok(()) => Understood::Message(message),
                    Err(id) => {
                        let said = "A request with this id is still being answered; this second one was not taken up. \
                                    Give every request an id of its own.";
                        // Refusals do not go through the service, so the first one stays pending.
                        Understood::Refused(refused(Some(id), ErrorCode::INVALID_REQUEST, said.to_owned()))
                    }
                },
                other => other,
            },
            Ok(Line::TooLong(beginning)) => Understood::Refused(Box::new(too_long(&beginning))),
            // A stream that fails has ended as far as we can tell.
            Ok(Line::End) | Err(_) => return,
        };
        let gone = match understood {
            Understood::Message(message) => messages.blocking_send(*message).is_err(),
            Understood::Refused(message) => {
                refusals.blocking_send(Outgoing { message: *message, written: None }).is_err()
            }
            Understood::Nothing => false,
        };
        if gone {
            return;
        }
    }
}

fn write_all(mut writer: impl Write, mut outgoing: mpsc::Receiver<Outgoing>, pending: &Pending) -> io::Result<()> {
    while let Some(Outgoing { message, written }) = outgoing.blocking_recv() {
        // A refusal has nobody who waits for its writing, and answers nothing that was taken up.
        if written.is_some() {
            pending.answered(&message);
        }
        let result = serde_json::to_vec(&message).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            writer.write_all(&line)?;
            writer.flush()
        });
        let failure = result.as_ref().err().map(io::Error::kind);
        if let Some(written) = written {
            // Whoever asked may have been cancelled meanwhile.
            let _ = written.send(result);
        }
        if let Some(kind) = failure {
            return Err(kind.into());
        }
    }
    Ok(())
}

/// What a line turned out to be.
#[derive(Debug)]
enum Understood {
    Message(Box<ClientJsonRpcMessage>),
    Refused(Box<ServerJsonRpcMessage>),
    Nothing,
}

fn understand(line: &[u8]) -> Understood {
    // RFC 8259 lets a reader ignore a byte order mark.
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Understood::Nothing;
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            let message = format!(
                "This line is not JSON (column {}). Send one JSON-RPC 2.0 message a line, in UTF-8.",
                error.column()
            );
            return Understood::Refused(refused(None, ErrorCode::PARSE_ERROR, message));
        }
    };
    let Value::Object(object) = &value else {
        let message = if value.is_array() {
            "Batches are not part of this protocol: send one message a line."
        } else {
            "A message is a JSON object with jsonrpc, method and, for requests, id."
        };
        return Understood::Refused(refused(None, ErrorCode::INVALID_REQUEST, message.to_owned()));
    };
    let method = object.get("method").and_then(Value::as_str).map(str::to_owned);
    let identity = object.get("id").and_then(request_id);
    let has_identity = object.contains_key("id");
    match serde_json::from_value::<ClientJsonRpcMessage>(value) {
        Ok(message) => Understood::Message(Box::new(message)),
        // Nobody answers a notification, and an answer to a question that we never put is dropped.
        Err(_) if !has_identity && method.is_some() => Understood::Nothing,
        Err(_) if has_identity && method.is_none() && identity.is_some() => Understood::Nothing,
        Err(_) => {
            let (code, message) = match method {
                Some(method) if identity.is_some() => (
                    ErrorCode::INVALID_PARAMS,
                    format!(
                        "The request is not well formed: check jsonrpc (\"2.0\") and the params of {}.",
                        brief(&method)
                    ),
                ),
                _ => (
                    ErrorCode::INVALID_REQUEST,
                    "A request needs jsonrpc \"2.0\", a method and an id that is text or a whole number.".to_owned(),
                ),
            };
            Understood::Refused(refused(identity, code, message))
        }
    }
}

fn too_long(beginning: &[u8]) -> ServerJsonRpcMessage {
    let message =
        format!("The message is longer than {LONGEST_LINE_BYTES} bytes and was not read. Send a shorter one.");
    refusal(leading_id(beginning), ErrorCode::INVALID_REQUEST, message)
}

fn refusal(id: Option<RequestId>, code: ErrorCode, message: String) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::new(code, message, None), id)
}

fn refused(id: Option<RequestId>, code: ErrorCode, message: String) -> Box<ServerJsonRpcMessage> {
    Box::new(refusal(id, code, message))
}

fn request_id(value: &Value) -> Option<RequestId> {
    match value {
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        _ => None,
    }
}

/// The id among the members at the beginning of an object that goes on: members are taken as long as
/// their values are no containers, since behind those lies what made the line long.
fn leading_id(beginning: &[u8]) -> Option<RequestId> {
    let text = match std::str::from_utf8(beginning) {
        Ok(text) => text,
        // The cut may have gone through a character.
        Err(error) => std::str::from_utf8(&beginning[..error.valid_up_to()]).ok()?,
    };
    let mut rest = text.trim_start().strip_prefix('{')?;
    loop {
        let (key, after) = scalar(rest)?;
        let (value, after) = scalar(after.trim_start().strip_prefix(':')?)?;
        if key == "id" {
            return request_id(&value);
        }
        rest = after.trim_start().strip_prefix(',')?;
    }
}

/// A string, number or word at the beginning of a text, and what comes after it.
fn scalar(text: &str) -> Option<(Value, &str)> {
    let text = text.trim_start();
    if text.starts_with(['{', '[']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, &text[values.byte_offset()..]))
}

fn brief(method: &str) -> String {
    crate::text::shown_line(&method.chars().take(60).collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn refused(line: &str) -> Value {
        match understand(line.as_bytes()) {
            Understood::Refused(message) => serde_json::to_value(message).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_json_is_a_parse_error() {
        for line in ["garbage", "{", "{\"jsonrpc\":", "\u{0}", &"[".repeat(5000)] {
            assert_eq!(refused(line)["error"]["code"], -32700, "{line}");
        }
    }

    #[test]
    fn what_is_no_message_is_refused_with_its_id_where_it_has_one() {
        for line in ["[]", "3", "\"text\"", "{}", "{\"id\":null,\"method\":\"ping\",\"jsonrpc\":\"2.0\"}"] {
            let refused = refused(line);
            assert_eq!(refused["error"]["code"], -32600, "{line}");
            assert_eq!(refused.get("id"), None, "{line}");
        }
        assert_eq!(refused("{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}")["id"], 7);
        assert_eq!(refused("{\"id\":\"x\",\"method\":\"tools/list\"}")["id"], "x");
    }

    #[test]
    fn nobody_answers_notifications_and_stray_answers() {
        for line in ["", "  ", "{\"method\":\"notifications/x\"}", "{\"id\":1,\"result\":3,\"jsonrpc\":\"1\"}"] {
            assert!(matches!(understand(line.as_bytes()), Understood::Nothing), "{line}");
        }
    }

    #[test]
    fn the_id_of_a_line_that_is_too_long_is_found_at_its_beginning() {
        assert_eq!(leading_id(b"{\"jsonrpc\":\"2.0\", \"id\" : 12,\"params\":{\"a"), Some(RequestId::Number(12)));
        assert_eq!(leading_id(b"{\"method\":\"m\",\"params\":{\"id\":12"), None);
        assert_eq!(leading_id(b"{\"id\":\"\xC3"), None);
        assert_eq!(leading_id(b"xxxx"), None);
    }

    proptest! {
        #[test]
        fn no_line_breaks_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = understand(&bytes);
            let _ = leading_id(&bytes);
        }
    }
}
