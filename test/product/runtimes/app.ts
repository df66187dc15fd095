import {
  connect,
  createAgent,
  fetchHandler,
  jsonRpc,
  rest,
  TaskNotFoundError,
  type A2AService,
  type Agent,
  type AgentCard,
  type AgentOptions,
  type Message,
  type StreamResponse,
} from "../../../generated/1.0/index.js";
import { protocol } from "../../../generated/1.0/operations.js";

// Runs on every runtime: an agent behind `fetch`, and at /play a client that calls another agent.

const service: A2AService = {
  sendMessage: ({ message }) => ({ message: replyTo(message) }),
  async *sendStreamingMessage({ message }) {
    for (const part of message.parts) {
      await Promise.resolve();
      yield { message: replyTo({ ...message, parts: [part] }) };
    }
  },
  getTask: ({ id }) => {
    throw new TaskNotFoundError(`Unknown task ${id}`);
  },
};

function replyTo({ messageId, parts }: Message): Message {
  return { messageId: `re-${messageId}`, role: "ROLE_AGENT", parts };
}

function cardAt(url: string): AgentCard {
  const { bindings, version: protocolVersion } = protocol;
  return {
    name: "Runtimes",
    description: "Runs wherever there is fetch",
    version: "1",
    supportedInterfaces: [bindings.jsonRpc, bindings.http].map((protocolBinding) => ({
      url,
      protocolBinding,
      protocolVersion,
    })),
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
}

/** Results that a client reads from an agent over one transport. */
export interface Played {
  readonly agent: string;
  readonly reply: unknown;
  readonly events: readonly StreamResponse[];
  readonly refused: string;
}

/** Results that every client must read from the agent. */
export const expected: Played = {
  agent: "Runtimes",
  reply: {
    message: {
      messageId: "re-m",
      role: "ROLE_AGENT",
      parts: [{ text: "grüße 👋" }, { data: [1, null] }],
    },
  },
  events: [
    { message: { messageId: "re-m", role: "ROLE_AGENT", parts: [{ text: "grüße 👋" }] } },
    { message: { messageId: "re-m", role: "ROLE_AGENT", parts: [{ data: [1, null] }] } },
  ],
  refused: "TaskNotFoundError: Unknown task none",
};

/**
 * Finds an agent by its card, and calls it over one transport: once, with a stream, and for what it
 * refuses.
 */
export async function play(
  url: string,
  binding: string,
  headers: Record<string, string> = {},
): Promise<Played> {
  const transports = [binding === protocol.bindings.http ? rest() : jsonRpc()];
  const client = await connect(url, { transports, headers });
  const message: Message = {
    messageId: "m",
    role: "ROLE_USER",
    parts: [{ text: "grüße 👋" }, { data: [1, null] }],
  };
  const reply = await client.sendMessage({ message });
  const events: StreamResponse[] = [];
  for await (const event of client.sendStreamingMessage({ message })) events.push(event);
  const refused = await client.getTask({ id: "none" }).then(
    () => "nothing",
    (error: unknown) =>
      error instanceof TaskNotFoundError ? `TaskNotFoundError: ${error.message}` : String(error),
  );
  client.close();
  return { agent: client.card?.name ?? "", reply, events, refused };
}

/**
 * Returns the agent whose card has the address `url`. `more` overrides methods and contains
 * additional options.
 */
export function agentAt(
  url: string,
  {
    service: methods,
    ...options
  }: Partial<Omit<AgentOptions, "service">> & { readonly service?: A2AService } = {},
): Agent {
  return createAgent({ card: cardAt(url), service: { ...service, ...methods }, ...options });
}

/**
 * Answers a request: `/play?url=…&binding=…` by what a client learns from the agent there, all
 * others as an agent.
 */
export async function serve(request: Request): Promise<Response> {
  const { origin, pathname, searchParams } = new URL(request.url);
  if (pathname !== "/play") return await fetchHandler(agentAt(`${origin}/`))(request);
  return Response.json(
    await play(searchParams.get("url") ?? "", searchParams.get("binding") ?? ""),
  );
}

export default { fetch: serve };
