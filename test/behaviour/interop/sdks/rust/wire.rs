use std::collections::HashMap;
use std::future::Future;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use a2a::{A2AError, error_code};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;

/// Answers the requests of the driver, and asks it what an agent is to do; ../peer.ts describes the lines.
#[derive(Default)]
pub struct Wire {
    asked: AtomicU64,
    questions: Mutex<HashMap<u64, UnboundedSender<Value>>>,
    running: Mutex<HashMap<u64, AbortHandle>>,
}

impl Wire {
    pub fn write(&self, line: Value) {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }

    /// Asks the driver, and returns the parts of the answer.
    pub fn ask(&self, about: &str, mut what: Value) -> UnboundedReceiver<Value> {
        let (sender, receiver) = unbounded_channel();
        let number = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        self.questions.lock().unwrap().insert(number, sender);
        what["ask"] = json!(number);
        what["about"] = json!(about);
        self.write(what);
        receiver
    }

    /// Handles requests until the driver closes the input.
    pub async fn serve<F, R>(self: Arc<Self>, handle: F)
    where
        F: Fn(Value) -> R,
        R: Future<Output = Result<Value, A2AError>> + Send + 'static,
    {
        let mut lines = BufReader::new(stdin()).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let given: Value = serde_json::from_str(&line).expect("a line of JSON");
            if let Some(number) = given["answer"].as_u64() {
                self.answered(number, given);
            } else if given["do"] == "leave" {
                let left = self.running.lock().unwrap().remove(&given["of"].as_u64().unwrap_or(0));
                left.inspect(AbortHandle::abort);
            } else {
                let id = given["id"].as_u64().unwrap_or(0);
                let (wire, answer) = (self.clone(), handle(given));
                let task = tokio::spawn(async move { wire.end(id, answer.await) });
                self.running.lock().unwrap().insert(id, task.abort_handle());
            }
        }
    }

    fn answered(&self, number: u64, part: Value) {
        let mut questions = self.questions.lock().unwrap();
        if part["done"] == true {
            questions.remove(&number);
        } else if let Some(question) = questions.get(&number) {
            let _ = question.send(part);
        }
    }

    fn end(&self, id: u64, answer: Result<Value, A2AError>) {
        self.write(match answer {
            Ok(result) => json!({ "id": id, "result": result }),
            Err(error) => json!({ "id": id, "refused": class_of(&error), "text": error.message }),
        });
    }
}

/// Returns the class of an error as the driver calls it.
fn class_of(error: &A2AError) -> &'static str {
    match error.code {
        error_code::TASK_NOT_FOUND => "TaskNotFoundError",
        error_code::TASK_NOT_CANCELABLE => "TaskNotCancelableError",
        error_code::PUSH_NOTIFICATION_NOT_SUPPORTED => "PushNotificationNotSupportedError",
        error_code::UNSUPPORTED_OPERATION => "UnsupportedOperationError",
        error_code::CONTENT_TYPE_NOT_SUPPORTED => "ContentTypeNotSupportedError",
        error_code::EXTENSION_SUPPORT_REQUIRED => "ExtensionSupportRequiredError",
        error_code::VERSION_NOT_SUPPORTED => "VersionNotSupportedError",
        error_code::INVALID_REQUEST => "InvalidRequestError",
        error_code::METHOD_NOT_FOUND => "MethodNotFoundError",
        error_code::INVALID_PARAMS => "InvalidParamsError",
        error_code::INTERNAL_ERROR => "InternalError",
        _ => "Error",
    }
}

/// Returns the error for JSON that a type of the SDK does not read or write.
pub fn unread(error: serde_json::Error) -> A2AError {
    A2AError::new(0, error.to_string())
}
