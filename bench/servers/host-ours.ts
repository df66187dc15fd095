import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import {
  createAgent,
  Role,
  TaskState,
  type A2AService,
  type Agent,
  type AgentOptions,
  type Artifact,
  type Message,
  type SendMessageRequest,
  type SendMessageResponse,
  type StreamResponse,
  type Task,
} from "../../generated/1.0/index.js";
import { createAgentServer } from "../../generated/1.0/server/http2.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { answer, card, names, paths, talks, type Kind, type Ready } from "./work.js";

/** Stores a completed task and responds with it, or responds with a message or a stream. */
class WeatherService implements A2AService {
  readonly #kind: Kind;
  readonly #tasks = new Map<string, Task>();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  sendMessage({ message }: SendMessageRequest): SendMessageResponse {
    if (this.#kind === "message") {
      return {
        message: { messageId: crypto.randomUUID(), role: Role.Agent, parts: [{ text: answer }] },
      };
    }
    const task = this.#taskFor(message, TaskState.Completed);
    task.artifacts = [
      { artifactId: names.artifactId, name: names.artifactName, parts: [{ text: answer }] },
    ];
    return { task };
  }

  async *sendStreamingMessage({ message }: SendMessageRequest): AsyncGenerator<StreamResponse> {
    const task = this.#taskFor(message, TaskState.Working);
    const { id: taskId, contextId = "" } = task;
    yield { task };
    const stored = {
      artifactId: names.artifactId,
      name: names.artifactName,
      parts: new Array<{ text: string }>(),
    };
    this.#tasks.set(taskId, { ...task, artifacts: [stored] });
    const { count, word } = talks.stream;
    for (let index = 0; index < count; index += 1) {
      const part = { text: await word(index) };
      stored.parts.push(part);
      const artifact: Artifact = { artifactId: names.artifactId, parts: [part] };
      if (index === 0) artifact.name = names.artifactName;
      yield {
        artifactUpdate: {
          taskId,
          contextId,
          artifact,
          append: index > 0,
          lastChunk: index === count - 1,
        },
      };
    }
    const status = { state: TaskState.Completed, timestamp: new Date().toISOString() };
    this.#tasks.set(taskId, { ...task, artifacts: [stored], status });
    yield { statusUpdate: { taskId, contextId, status } };
  }

  #taskFor(message: Message, state: TaskState): Task {
    const [id, contextId] = [crypto.randomUUID(), crypto.randomUUID()];
    // The service may modify its request. The SDK fills in the ids in the same way.
    message.taskId = id;
    message.contextId = contextId;
    const status = { state, timestamp: new Date().toISOString() };
    const task: Task = { id, contextId, status, history: [message] };
    this.#tasks.set(id, task);
    return task;
  }
}

/** Creates the agent, as a user of the generated code does. */
export function makeAgent(kind: Kind, options: Partial<AgentOptions> = {}): Agent {
  return createAgent({ card, service: new WeatherService(kind), ...options });
}

/** Serves the agent on all bindings: with `node:http`, and on one port with gRPC. */
export async function start(kind: Kind): Promise<Ready> {
  const agent = makeAgent(kind);
  const options = { jsonRpc: { path: paths.jsonRpc }, rest: { path: paths.rest } };
  const servers = [createServer(nodeListener(agent, options)), createAgentServer(agent, options)];
  const [httpPort = 0, grpcPort = 0] = await Promise.all(
    servers.map(async (server: Server) => {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    }),
  );
  return { httpPort, grpcPort };
}
