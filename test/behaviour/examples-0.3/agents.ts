import { startEchoAgent, type EchoAgent, type EchoAgentOptions } from "../../../examples/echo-agent-0.3/server.js";
import { grpc } from "../../../generated/0.3.0/client/grpc.js";
import {
  connect,
  jsonRpc,
  rest,
  Role,
  type A2AClient,
  type ConnectOptions,
  type Message,
  type MessageSendConfiguration,
  type Part,
  type StreamResponse,
  type Task,
} from "../../../generated/0.3.0/index.js";
import { fixedEnvironment } from "../../support/environment.js";
import { everywhere } from "../../support/everywhere.js";

const transports = new Map([
  ["JSONRPC", jsonRpc],
  ["HTTP+JSON", rest],
  ["GRPC", grpc],
]);

/** The transports, as cards name them. */
export const bindings = [...transports.keys()];

/** An agent with a client that speaks one transport to it. */
export interface Side {
  readonly client: A2AClient;
  readonly agent: EchoAgent;
}

export interface SideOptions extends EchoAgentOptions {
  readonly client?: Partial<ConnectOptions>;
}

/** Starts an agent whose clock and ids are fixed, and connects to it by its card over one transport. */
export async function open(binding: string, options: SideOptions = {}): Promise<Side> {
  const agent = await startEchoAgent({ environment: fixedEnvironment(), ...options });
  const transport = transports.get(binding)?.();
  const client = await connect(agent.url, { transports: transport ? [transport] : [], ...options.client });
  return { client, agent };
}

/** Plays a scene over each transport, expects the same result from all of them, and gives it. */
export function onEveryTransport<T>(
  scene: (side: Side, binding: string) => Promise<T>,
  options?: SideOptions,
): Promise<T> {
  return everywhere(bindings, (binding) => open(binding, options), scene);
}

/** A part with this text. */
export function text(content: string): Part {
  return { kind: "text", text: content };
}

/** A message of the user with these parts, or with this text. */
export function userMessage(content: string | Part[], more: Partial<Message> = {}): Message {
  const parts = typeof content === "string" ? [text(content)] : content;
  return { kind: "message", messageId: "m-1", role: Role.User, parts, ...more };
}

/** Sends a text and gives the task that comes back. */
export async function send(
  client: A2AClient,
  content: string,
  more: Partial<Message> = {},
  configuration: MessageSendConfiguration = {},
): Promise<Task> {
  const answer = await client.sendMessage({ message: userMessage(content, more), configuration });
  if (answer.kind !== "task") throw new Error("The agent answered with a message");
  return answer;
}

/** Sends a text and gives the task as it is while the agent works on it. The stream of its updates is left. */
export async function begin(client: A2AClient, content: string, more: Partial<Message> = {}): Promise<Task> {
  for await (const event of client.sendStreamingMessage({ message: userMessage(content, more) })) {
    if (event.kind === "task") return event;
  }
  throw new Error("The agent answered without a task");
}

/** Says in a word what each event of a stream is. */
export function outline(events: readonly StreamResponse[]): string[] {
  return events.map((event) => {
    if (event.kind === "task") return `task ${event.status.state}`;
    if (event.kind === "status-update") return `status ${event.status.state}${event.final ? ", final" : ""}`;
    return event.kind === "message" ? "message" : `artifact ${JSON.stringify(event.artifact.parts.map(wordsOf))}`;
  });
}

function wordsOf(part: Part): unknown {
  return part.kind === "text" ? part.text : part;
}
