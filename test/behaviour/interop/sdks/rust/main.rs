//! A client and a server on the SDK for Rust, driven by lines of JSON.
mod bench;
mod server;
mod wire;

use std::sync::Arc;

use a2a::*;
use a2a_client::jsonrpc::JsonRpcTransportFactory;
use a2a_client::rest::RestTransportFactory;
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::middleware::CallInterceptor;
use a2a_client::{A2AClient, A2AClientFactory, ServiceParams, Transport, TransportFactory};
use a2a_grpc::GrpcTransportFactory;
use async_trait::async_trait;
use futures::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::server::Ports;
use crate::wire::{Wire, unread};

type Client = A2AClient<Box<dyn Transport>>;

tokio::task_local! {
    /// The extensions that a call names.
    static EXTENSIONS: Vec<String>;
}

struct Extensions;

#[async_trait]
impl CallInterceptor for Extensions {
    async fn before(&self, _: &str, params: &mut ServiceParams) -> Result<(), A2AError> {
        let names = EXTENSIONS.try_with(Clone::clone).unwrap_or_default();
        if !names.is_empty() {
            params.insert(SVC_PARAM_EXTENSIONS.to_owned(), vec![names.join(",")]);
        }
        Ok(())
    }
}

async fn connect(given: &Value) -> Result<(Client, Value), A2AError> {
    let card = AgentCardResolver::new(None).resolve(given["url"].as_str().unwrap_or("")).await?;
    let factory: Arc<dyn TransportFactory> = match given["binding"].as_str() {
        Some("JSONRPC") => Arc::new(JsonRpcTransportFactory::new(None)),
        Some("HTTP+JSON") => Arc::new(RestTransportFactory::new(None)),
        _ => Arc::new(GrpcTransportFactory::new()),
    };
    let builder = A2AClientFactory::builder().no_defaults().register(factory);
    let client = builder.with_interceptor(Arc::new(Extensions)).build().create_from_card(&card).await?;
    Ok((client, json!(card)))
}

fn read<T: DeserializeOwned>(given: &Value) -> Result<T, A2AError> {
    serde_json::from_value(given["request"].clone()).map_err(unread)
}

fn written(response: impl Serialize) -> Result<Value, A2AError> {
    serde_json::to_value(response).map_err(unread)
}

async fn call(client: &Client, given: &Value) -> Result<Value, A2AError> {
    match given["method"].as_str().unwrap_or("") {
        "sendMessage" => written(client.send_message(&read(given)?).await?),
        "getTask" => written(client.get_task(&read(given)?).await?),
        "listTasks" => written(client.list_tasks(&read(given)?).await?),
        "cancelTask" => written(client.cancel_task(&read(given)?).await?),
        "createTaskPushNotificationConfig" => written(client.create_push_config(&read(given)?).await?),
        "getTaskPushNotificationConfig" => written(client.get_push_config(&read(given)?).await?),
        "listTaskPushNotificationConfigs" => written(client.list_push_configs(&read(given)?).await?),
        "deleteTaskPushNotificationConfig" => written(client.delete_push_config(&read(given)?).await?),
        "getExtendedAgentCard" => written(client.get_extended_agent_card(&read(given)?).await?),
        other => Err(A2AError::new(0, format!("the client has no {other}"))),
    }
}

async fn stream(wire: &Wire, client: &Client, given: &Value) -> Result<Value, A2AError> {
    let mut events = match given["method"].as_str() {
        Some("subscribeToTask") => client.subscribe_to_task(&read(given)?).await?,
        _ => client.send_streaming_message(&read(given)?).await?,
    };
    while let Some(event) = events.next().await {
        wire.write(json!({ "id": given["id"], "event": event? }));
    }
    Ok(Value::Null)
}

/// What a peer is: a server, a client, or neither yet.
#[derive(Default)]
struct Peer {
    wire: Arc<Wire>,
    ports: Mutex<Ports>,
    client: Mutex<Option<Arc<Client>>>,
}

impl Peer {
    async fn handle(self: Arc<Self>, given: Value) -> Result<Value, A2AError> {
        match given["do"].as_str().unwrap_or("") {
            "listen" => self.ports.lock().await.listen().await,
            "serve" => self.ports.lock().await.serve(self.wire.clone(), given),
            "settle" => Ok(Value::Null),
            "connect" => {
                let (client, card) = connect(&given).await?;
                *self.client.lock().await = Some(Arc::new(client));
                Ok(card)
            }
            what => {
                let client = self.client.lock().await.clone().expect("a client");
                let names: Option<Vec<String>> = serde_json::from_value(given["extensions"].clone()).ok();
                let made = async {
                    if what == "stream" { stream(&self.wire, &client, &given).await } else { call(&client, &given).await }
                };
                EXTENSIONS.scope(names.unwrap_or_default(), made).await
            }
        }
    }
}

#[tokio::main]
async fn main() {
    let peer = Arc::new(Peer::default());
    let wire = peer.wire.clone();
    wire.serve(|given| peer.clone().handle(given)).await;
}
