use a2a::event::{StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
use a2a::*;
use a2a_server::{AgentExecutor, ExecutorContext};
use chrono::Utc;
use futures::stream::{self, BoxStream, StreamExt};
use serde::Deserialize;
use tokio::task::yield_now;

type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

/// An agent for benchmarks: the first word of a message is the kind of the response.
#[derive(Clone, Deserialize)]
pub struct BenchExecutor {
    answer: String,
    chunks: usize,
}

impl AgentExecutor for BenchExecutor {
    fn execute(&self, ctx: ExecutorContext) -> Events {
        let message = ctx.message.expect("a message");
        let kind = message.text().and_then(|text| text.split(':').next()).unwrap_or("").to_owned();
        if kind == "message" {
            let reply = Message::new(Role::Agent, vec![Part::text(self.answer.clone())]);
            return Box::pin(stream::iter([Ok(StreamResponse::Message(reply))]));
        }
        let task = Ids { task_id: ctx.task_id, context_id: ctx.context_id };
        let begin = stream::iter([task.submitted(message), task.status(TaskState::Working)]);
        let end = stream::iter([task.status(TaskState::Completed)]);
        let events: BoxStream<'static, StreamResponse> = match kind.as_str() {
            "wait" => Box::pin(begin.chain(stream::pending())),
            "stream" => {
                let (last, ids) = (self.chunks - 1, task.clone());
                let chunks = (0..=last).map(move |index| ids.chunk(format!("word {index} "), index > 0, index == last));
                Box::pin(begin.chain(stream::iter(chunks)).chain(end))
            }
            _ => Box::pin(begin.chain(stream::iter([task.chunk(self.answer.clone(), false, true)])).chain(end)),
        };
        // A subscriber that is 32 events behind gets an error, so let it read.
        Box::pin(events.then(|event| async {
            yield_now().await;
            Ok(event)
        }))
    }

    fn cancel(&self, ctx: ExecutorContext) -> Events {
        let task = Ids { task_id: ctx.task_id, context_id: ctx.context_id };
        Box::pin(stream::iter([Ok(task.status(TaskState::Canceled))]))
    }
}

#[derive(Clone)]
struct Ids {
    task_id: String,
    context_id: String,
}

impl Ids {
    fn submitted(&self, message: Message) -> StreamResponse {
        StreamResponse::Task(Task {
            id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            status: status(TaskState::Submitted),
            artifacts: None,
            history: Some(vec![message]),
            metadata: None,
        })
    }

    fn status(&self, state: TaskState) -> StreamResponse {
        StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            status: status(state),
            metadata: None,
        })
    }

    fn chunk(&self, text: String, append: bool, last_chunk: bool) -> StreamResponse {
        StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            artifact: Artifact {
                artifact_id: "answer".to_owned(),
                name: Some("Answer".to_owned()),
                description: None,
                parts: vec![Part::text(text)],
                metadata: None,
                extensions: None,
            },
            append: Some(append),
            last_chunk: Some(last_chunk),
            metadata: None,
        })
    }
}

fn status(state: TaskState) -> TaskStatus {
    TaskStatus { state, message: None, timestamp: Some(Utc::now()) }
}
