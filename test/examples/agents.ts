import { expect } from "vitest";
import { startEchoAgent, type EchoAgent, type EchoAgentOptions } from "../../examples/echo-agent/server.js";
import type { Environment } from "../../examples/shared/environment.js";
import { grpc } from "../../generated/1.0/client/grpc.js";
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
} from "../../generated/1.0/index.js";

/** An agent with a client that speaks one transport to it. */
export interface Side {
  readonly client: A2AClient;
  readonly agent: EchoAgent;
}

export interface SideOptions extends EchoAgentOptions {
  readonly client?: Partial<ConnectOptions>;
}

const transports = { JSONRPC: jsonRpc, "HTTP+JSON": rest, GRPC: grpc };

/** A clock that moves one second at every look, and ids that count. */
export function fixedEnvironment(): Environment {
  let [seconds, ids] = [0, 0];
  return {
    now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, (seconds += 1), 250)),
    newId: () => `id-${(ids += 1)}`,
  };
}

/**
 * Plays a scene over each transport, with an agent of its own every time, expects the same result from all of them, and
 * gives it. Errors that the scene throws are results too: see {@link outcome}.
 */
export async function onEveryTransport<T>(scene: (side: Side) => Promise<T>, options: SideOptions = {}): Promise<T> {
  const results = await Promise.all(
    Object.entries(transports).map(async ([binding, transport]) => {
      const agent = await startEchoAgent({ environment: fixedEnvironment(), ...options });
      const client = await connect(agent.url, { transports: [transport()], ...options.client });
      try {
        return { binding, result: await scene({ client, agent }) };
      } finally {
        client.close();
        await agent.close();
      }
    }),
  );
  const [first, ...others] = results;
  if (first === undefined) throw new Error("There are no transports");
  for (const { binding, result } of others) expect(result, `${binding} against ${first.binding}`).toEqual(first.result);
  return first.result;
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

/** Reads a stream to its end. */
export async function all(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** A stream whose first event has come, so that it sees everything from here on. */
export interface OpenStream {
  readonly first: StreamResponse;
  /** Reads the stream to its end, and gives all events, the first among them. */
  rest(): Promise<StreamResponse[]>;
}

/** Waits for the first event of a stream. */
export async function opened(stream: AsyncIterable<StreamResponse>): Promise<OpenStream> {
  const iterator = stream[Symbol.asyncIterator]();
  const result = await iterator.next();
  if (result.done === true) throw new Error("The stream is empty");
  const first = result.value;
  return { first, rest: async () => [first, ...(await all({ [Symbol.asyncIterator]: () => iterator }))] };
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
