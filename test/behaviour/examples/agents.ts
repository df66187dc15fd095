import { startEchoAgent, type EchoAgent, type EchoAgentOptions } from "../../../examples/echo-agent/server.js";
import { grpc } from "../../../generated/1.0/client/grpc.js";
import {
  A2AError,
  connect,
  jsonRpc,
  rest,
  Role,
  type A2AClient,
  type ConnectOptions,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
} from "../../../generated/1.0/index.js";
import { fixedEnvironment } from "../../support/environment.js";
import { everywhere } from "../../support/everywhere.js";

/** An agent with a client that speaks one transport to it. */
export interface Side {
  readonly client: A2AClient;
  readonly agent: EchoAgent;
}

export interface SideOptions extends EchoAgentOptions {
  readonly client?: Partial<ConnectOptions>;
}

const transports = new Map([
  ["JSONRPC", jsonRpc],
  ["HTTP+JSON", rest],
  ["GRPC", grpc],
]);

/**
 * Plays a scene over each transport, with an agent of its own every time, expects the same result from all of them, and
 * gives it. Errors that the scene throws are results too: see {@link outcome}.
 */
export function onEveryTransport<T>(scene: (side: Side) => Promise<T>, options: SideOptions = {}): Promise<T> {
  const open = async (binding: string): Promise<Side> => {
    const agent = await startEchoAgent({ environment: fixedEnvironment(), ...options });
    const transport = transports.get(binding)?.();
    const client = await connect(agent.url, { transports: transport ? [transport] : [], ...options.client });
    return { client, agent };
  };
  return everywhere([...transports.keys()], open, scene);
}

/** All that a caller can learn from an error, whichever way it came. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly details: readonly unknown[];
}

/** Gives the error that a call is refused with. */
export async function failure(call: Promise<unknown>): Promise<Failure> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
    const { name, message, metadata, details } = error;
    return { name, message, metadata, details };
  }
  throw new Error("The call was not refused");
}

/** A message of the user with these parts, or with this text. */
export function userMessage(content: string | Part[], more: Partial<Message> = {}): Message {
  const parts = typeof content === "string" ? [{ text: content }] : content;
  return { messageId: "m-1", role: Role.User, parts, ...more };
}

/** Sends a text and gives the task that comes back. */
export async function send(client: A2AClient, text: string, more: Partial<Message> = {}): Promise<Task> {
  const { task } = await client.sendMessage({ message: userMessage(text, more) });
  if (task === undefined) throw new Error("The agent answered with a message");
  return task;
}

/** Sends a text and gives the task as it is while the agent works on it. */
export async function begin(client: A2AClient, text: string, more: Partial<Message> = {}): Promise<Task> {
  const configuration = { returnImmediately: true };
  const { task } = await client.sendMessage({ message: userMessage(text, more), configuration });
  if (task === undefined) throw new Error("The agent answered with a message");
  return task;
}

/** Says in a word what each event of a stream is. */
export function outline(events: readonly StreamResponse[]): string[] {
  return events.map(({ task, message, statusUpdate, artifactUpdate }) => {
    if (task !== undefined) return `task ${task.status.state}`;
    if (statusUpdate !== undefined) return `status ${statusUpdate.status.state}`;
    if (message !== undefined) return "message";
    return `artifact ${JSON.stringify(artifactUpdate.artifact.parts)}`;
  });
}
