import {
  type AgentCard,
  type Artifact,
  type Message,
  type Part,
  Role,
  type Task,
  TaskState,
  type TaskStatus,
} from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express, { type Express } from "express";

// The models of the official SDK, whose members are all required.

/** Ids of a task and its context. */
export type SdkIds = Pick<RequestContext, "taskId" | "contextId">;

/** Returns the text of a message. */
export function sdkText({ parts }: Message): string {
  return parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");
}

export function sdkPart(value: string, mediaType = "text/plain"): Part {
  return { content: { $case: "text", value }, mediaType, filename: "", metadata: undefined };
}

export function sdkStatus(state: TaskState, message?: Message): TaskStatus {
  return { state, message, timestamp: new Date().toISOString() };
}

/** Returns the task of a request without artifacts. */
export function sdkTask(
  { taskId: id, contextId, userMessage }: RequestContext,
  state: TaskState,
): Task {
  const history = [userMessage];
  return { id, contextId, status: sdkStatus(state), artifacts: [], history, metadata: undefined };
}

export function sdkArtifact(artifactId: string, part: Part, name: string = artifactId): Artifact {
  const head = { artifactId, name, description: "", extensions: [] };
  return { ...head, parts: [part], metadata: undefined };
}

/** Returns a message of the agent. */
export function sdkMessage(part: Part, ids: SdkIds = { taskId: "", contextId: "" }): Message {
  return {
    ...ids,
    messageId: crypto.randomUUID(),
    role: Role.ROLE_AGENT,
    parts: [part],
    extensions: [],
    referenceTaskIds: [],
    metadata: undefined,
  };
}

/** A task that publishes its events. */
export class SdkTurn {
  readonly #ids: SdkIds;
  readonly #bus: ExecutionEventBus;

  constructor({ taskId, contextId }: SdkIds, bus: ExecutionEventBus) {
    this.#ids = { taskId, contextId };
    this.#bus = bus;
  }

  /** Publishes the task of a request, as it was before the request if it existed. */
  begin(context: RequestContext): void {
    const { task = sdkTask(context, TaskState.TASK_STATE_SUBMITTED) } = context;
    this.#bus.publish(AgentEvent.task(task));
  }

  /** Publishes a status, with a message if a text is given. */
  status(state: TaskState, text?: string): void {
    const message = text === undefined ? undefined : sdkMessage(sdkPart(text), this.#ids);
    const status = sdkStatus(state, message);
    this.#bus.publish(AgentEvent.statusUpdate({ ...this.#ids, status, metadata: undefined }));
  }

  /** Publishes a part of an artifact. */
  write(artifact: Artifact, append: boolean, lastChunk: boolean): void {
    const update = { ...this.#ids, artifact, append, lastChunk, metadata: undefined };
    this.#bus.publish(AgentEvent.artifactUpdate(update));
  }
}

/** Returns an application that serves an agent over JSON-RPC at `/rpc`, and its card. */
export function sdkApp(card: AgentCard, executor: AgentExecutor): Express {
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const app = express();
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/rpc", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return app;
}
