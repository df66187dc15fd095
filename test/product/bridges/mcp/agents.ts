import {
  AgentCard as SdkCard,
  Role,
  TaskState,
  type Message,
  type Part as SdkPart,
} from "@a2a-js/sdk";
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from "@a2a-js/sdk/server";
import express from "express";
import { createAgent, fetchHandler } from "../../../../generated/1.0/index.js";
import { remoteAgent, type RemoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import {
  artifact,
  authRequired,
  type Behavior,
  completed,
  failed,
  filesOf,
  inputRequired,
  type LimitOptions,
  message as reply,
  taskService,
  textOf,
  working,
} from "../../../../generated/1.0/kit/index.js";
import type { AgentCard } from "../../../../generated/1.0/models.js";
import { v0_3 as oldClient } from "../../../../generated/1.0/versions/0.3/client.js";
import { v0_3 } from "../../../../generated/1.0/versions/0.3/server.js";
import { aCard, aSkill } from "../../../support/cards.js";
import { listen } from "../../../support/http.js";

/** An agent that tests ask, and the ids of its tasks that were canceled. */
export interface TestAgent {
  readonly remote: RemoteAgent;
  readonly canceled: string[];
}

const url = "http://agent.test";
const described: Partial<AgentCard> = {
  name: "Travel clerk",
  description: "Books trips.",
  defaultInputModes: ["text/plain", "application/json", "image/png", "text/csv"],
  skills: [aSkill({ id: "book", name: "Book", description: "Books a night." })],
};

/** Returns the clerk, on our task kit. */
export function clerk(version: "1.0" | "0.3" = "1.0"): TestAgent {
  const canceled: string[] = [];
  return { remote: agentOf(clerkBehavior(canceled), { version }), canceled };
}

/** Options of an agent. */
interface AgentOptions {
  readonly version?: string;
  readonly card?: Partial<AgentCard>;
  readonly limits?: LimitOptions;
  readonly onError?: (error: unknown) => void;
}

/** Returns an agent without sockets. */
export function agentOf<State>(
  behavior: Behavior<unknown, State>,
  { version = "1.0", card = described, limits = {}, onError = () => undefined }: AgentOptions = {},
): RemoteAgent {
  const handler = fetchHandler(
    createAgent({
      card: aCard([{ url, protocolBinding: "JSONRPC", protocolVersion: version }], card),
      service: taskService({ ...behavior, limits }),
      versions: version === "0.3" ? [v0_3] : [],
      onError,
    }),
  );
  const fetch: typeof globalThis.fetch = (input, init) => handler(new Request(input, init));
  return remoteAgent(url, { fetch, versions: [oldClient] });
}

function clerkBehavior(canceled: string[]): Behavior<unknown, { readonly city: string }> {
  return {
    reply: ({ message }) => (textOf(message) === "ping" ? reply("pong") : undefined),
    async *run({ message, state, signal, task }) {
      const text = textOf(message);
      if (state !== undefined) return completed(`Booked ${state.city} for ${text}`);
      switch (text) {
        case "book":
          return inputRequired("For how many nights?", { state: { city: "Oslo" } });
        case "secret":
          return authRequired("Sign in at https://login.example/x", { state: { city: "Rome" } });
        case "fail":
          return failed("Out of paper");
        case "throw":
          throw new Error("An internal detail");
        case "slow":
          signal.addEventListener("abort", () => canceled.push(task.id));
          yield working("Started");
          await new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              reject(new Error("Aborted"));
            });
          });
      }
      yield working("Reading");
      const file = filesOf(message)[0];
      const about = file === undefined ? "" : ` with ${file.mediaType ?? "a file"}`;
      yield* artifact("report").from(["# Tea", "\n\n", `You said ${text}`, about, "."]);
      if (text.includes("file"))
        yield artifact("a.txt").finish([
          { raw: btoa("bytes"), filename: "a.txt", mediaType: "text/plain" },
        ]);
      return completed();
    },
  };
}

/** Starts the clerk on the official SDK. */
export async function sdkClerk(): Promise<TestAgent> {
  const app = express();
  const at = await listen(app);
  const canceled: string[] = [];
  const card = SdkCard.fromJSON(aCard(`${at}/rpc`, described));
  const requestHandler = new DefaultRequestHandler(
    card,
    new InMemoryTaskStore(),
    new SdkClerk(canceled),
  );
  const { agentCardHandler, jsonRpcHandler, UserBuilder } =
    await import("@a2a-js/sdk/server/express");
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/rpc", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return { remote: remoteAgent(at), canceled };
}

class SdkClerk implements AgentExecutor {
  readonly #canceled: string[];
  readonly #waiting = new Set<string>();
  /** Functions that end the turns of tasks. */
  readonly #running = new Map<string, () => void>();

  constructor(canceled: string[]) {
    this.#canceled = canceled;
  }

  execute({ userMessage, taskId, contextId, task }: RequestContext, bus: ExecutionEventBus) {
    const ids = { taskId, contextId };
    const status = (state: TaskState, text?: string) => {
      bus.publish(statusOf(ids, state, text));
    };
    const submitted = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined };
    bus.publish(
      AgentEvent.task(
        task ?? {
          id: taskId,
          contextId,
          status: { ...submitted, timestamp: now() },
          artifacts: [],
          history: [userMessage],
          metadata: undefined,
        },
      ),
    );
    const piece = (id: string, part: SdkPart, append: boolean, lastChunk: boolean) => {
      bus.publish(
        AgentEvent.artifactUpdate({
          ...ids,
          artifact: {
            artifactId: id,
            name: id,
            description: "",
            parts: [part],
            extensions: [],
            metadata: undefined,
          },
          append,
          lastChunk,
          metadata: undefined,
        }),
      );
    };
    const text = userMessage.parts
      .map(({ content }) => (content?.$case === "text" ? content.value : ""))
      .join("");
    if (this.#waiting.delete(taskId))
      status(TaskState.TASK_STATE_COMPLETED, `Booked Oslo for ${text}`);
    else if (text === "book") {
      this.#waiting.add(taskId);
      status(TaskState.TASK_STATE_INPUT_REQUIRED, "For how many nights?");
    } else if (text === "fail") status(TaskState.TASK_STATE_FAILED, "Out of paper");
    else if (text === "slow") {
      status(TaskState.TASK_STATE_WORKING, "Started");
      return new Promise<void>((resolve) => {
        this.#running.set(taskId, resolve);
      });
    } else {
      status(TaskState.TASK_STATE_WORKING, "Reading");
      piece("report", partOf("# Tea"), false, false);
      piece("report", partOf(`\n\nYou said ${text}.`), true, true);
      const content = { $case: "raw" as const, value: Buffer.from("bytes") };
      if (text.includes("file"))
        piece("a.txt", { ...partOf(""), content, filename: "a.txt" }, false, true);
      status(TaskState.TASK_STATE_COMPLETED);
    }
    bus.finished();
    return Promise.resolve();
  }

  cancelTask(taskId: string, bus: ExecutionEventBus) {
    this.#canceled.push(taskId);
    bus.publish(statusOf({ taskId, contextId: "" }, TaskState.TASK_STATE_CANCELED));
    bus.finished();
    this.#running.get(taskId)?.();
    return Promise.resolve();
  }
}

function statusOf(
  ids: { readonly taskId: string; readonly contextId: string },
  state: TaskState,
  text?: string,
) {
  const message: Message | undefined =
    text === undefined
      ? undefined
      : {
          ...ids,
          messageId: crypto.randomUUID(),
          role: Role.ROLE_AGENT,
          parts: [partOf(text)],
          extensions: [],
          referenceTaskIds: [],
          metadata: undefined,
        };
  return AgentEvent.statusUpdate({
    ...ids,
    status: { state, message, timestamp: now() },
    metadata: undefined,
  });
}

function partOf(value: string): SdkPart {
  return {
    content: { $case: "text", value },
    mediaType: "text/plain",
    filename: "",
    metadata: undefined,
  };
}

function now(): string {
  return new Date().toISOString();
}
