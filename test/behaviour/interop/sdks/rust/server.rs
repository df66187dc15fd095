use std::sync::Arc;

use a2a::event::StreamResponse;
use a2a::*;
use a2a_grpc::GrpcHandler;
use a2a_pb::proto::a2a_service_server::A2aServiceServer;
use a2a_server::agent_card::agent_card_router;
use a2a_server::jsonrpc::jsonrpc_router;
use a2a_server::rest::rest_router;
use a2a_server::{
    AgentExecutor, DefaultRequestHandler, ExecutorContext, InMemoryPushConfigStore, InMemoryTaskStore, RequestHandler,
    ServiceParams, StaticAgentCard,
};
use async_trait::async_trait;
use axum::Router;
use futures::stream::{self, BoxStream};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;

use crate::bench::BenchExecutor;
use crate::wire::{Wire, unread};

type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

/// An agent that does what the driver says.
struct Executor(Arc<Wire>);

impl Executor {
    fn act(&self, about: &str, ctx: ExecutorContext) -> Events {
        let mut question = json!({
            "message": ctx.message,
            "taskId": ctx.task_id,
            "contextId": ctx.context_id,
            "extensions": extensions_of(&ctx.service_params),
        });
        if let Some(task) = ctx.stored_task {
            question["task"] = json!(task);
        }
        let answers = self.0.ask(about, question);
        Box::pin(stream::unfold(answers, |mut answers| async move {
            loop {
                // The SDK has no way to activate an extension.
                let part = answers.recv().await?;
                if let Some(act) = part.get("act") {
                    return Some((serde_json::from_value(act.clone()).map_err(unread), answers));
                }
            }
        }))
    }
}

impl AgentExecutor for Executor {
    fn execute(&self, ctx: ExecutorContext) -> Events {
        self.act("message", ctx)
    }

    fn cancel(&self, ctx: ExecutorContext) -> Events {
        self.act("cancel", ctx)
    }
}

/// Tells the driver what a handler is asked.
struct Recorder {
    wire: Arc<Wire>,
    handler: DefaultRequestHandler,
}

impl Recorder {
    async fn tell(&self, method: &str, params: &ServiceParams, request: &impl Serialize) {
        let what = json!({ "method": method, "request": request, "extensions": extensions_of(params) });
        while self.wire.ask("asked", what.clone()).recv().await.is_some() {}
    }
}

macro_rules! recorded {
    ($($method:ident $name:literal $request:ty => $response:ty),+ $(,)?) => {
        #[async_trait]
        impl RequestHandler for Recorder {
            $(async fn $method(&self, params: &ServiceParams, req: $request) -> Result<$response, A2AError> {
                self.tell($name, params, &req).await;
                self.handler.$method(params, req).await
            })+
        }
    };
}

recorded! {
    send_message "sendMessage" SendMessageRequest => SendMessageResponse,
    send_streaming_message "sendStreamingMessage" SendMessageRequest => Events,
    get_task "getTask" GetTaskRequest => Task,
    list_tasks "listTasks" ListTasksRequest => ListTasksResponse,
    cancel_task "cancelTask" CancelTaskRequest => Task,
    subscribe_to_task "subscribeToTask" SubscribeToTaskRequest => Events,
    create_push_config "createTaskPushNotificationConfig" TaskPushNotificationConfig => TaskPushNotificationConfig,
    get_push_config "getTaskPushNotificationConfig" GetTaskPushNotificationConfigRequest => TaskPushNotificationConfig,
    list_push_configs "listTaskPushNotificationConfigs" ListTaskPushNotificationConfigsRequest =>
        ListTaskPushNotificationConfigsResponse,
    delete_push_config "deleteTaskPushNotificationConfig" DeleteTaskPushNotificationConfigRequest => (),
    get_extended_agent_card "getExtendedAgentCard" GetExtendedAgentCardRequest => AgentCard,
}

/// Returns the extensions that a call names.
fn extensions_of(params: &ServiceParams) -> Vec<String> {
    let values = params.get("a2a-extensions").cloned().unwrap_or_default();
    let names = values.iter().flat_map(|value| value.split(','));
    names.map(|name| name.trim().to_owned()).collect()
}

/// The ports that a peer listens on.
#[derive(Default)]
pub struct Ports {
    http: Option<TcpListener>,
    grpc: Option<TcpListener>,
}

impl Ports {
    pub async fn listen(&mut self) -> Result<Value, A2AError> {
        let open = || async { TcpListener::bind("127.0.0.1:0").await.expect("a free port") };
        let (http, grpc) = (open().await, open().await);
        let address = |port: &TcpListener| port.local_addr().expect("an address").to_string();
        let urls = json!({ "url": format!("http://{}/", address(&http)), "grpcUrl": address(&grpc) });
        (self.http, self.grpc) = (Some(http), Some(grpc));
        Ok(urls)
    }

    pub fn serve(&mut self, wire: Arc<Wire>, given: Value) -> Result<Value, A2AError> {
        let card: AgentCard = serde_json::from_value(given["card"].clone()).map_err(unread)?;
        let extended: AgentCard = serde_json::from_value(given["extendedCard"].clone()).map_err(unread)?;
        if given["bench"].is_object() {
            let executor: BenchExecutor = serde_json::from_value(given["bench"].clone()).map_err(unread)?;
            let handler = DefaultRequestHandler::new(executor, InMemoryTaskStore::new());
            self.open(Arc::new(handler.with_capabilities(card.capabilities.clone())), card);
        } else {
            let handler = DefaultRequestHandler::new(Executor(wire.clone()), InMemoryTaskStore::new())
                .with_capabilities(card.capabilities.clone())
                .with_push_config_store(InMemoryPushConfigStore::new())
                .with_extended_agent_card(extended);
            self.open(Arc::new(Recorder { wire, handler }), card);
        }
        Ok(Value::Null)
    }

    fn open<H: RequestHandler>(&mut self, handler: Arc<H>, card: AgentCard) {
        let app = Router::new()
            .merge(agent_card_router(Arc::new(StaticAgentCard::new(card))))
            .nest("/rpc", jsonrpc_router(handler.clone()))
            .nest("/rest", rest_router(handler.clone()));
        let (http, grpc) = (self.http.take().expect("a port"), self.grpc.take().expect("a port"));
        let service = A2aServiceServer::new(GrpcHandler::new(handler));
        let server = tonic::transport::Server::builder().add_service(service);
        tokio::spawn(async move { axum::serve(http, app).await });
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(grpc)));
    }
}
