import { AgentCard as SdkCard, TaskState } from "@a2a-js/sdk";
import type { AgentExecutor, ExecutionEventBus, RequestContext } from "@a2a-js/sdk/server";
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
import { listenAt } from "../../../support/http.js";
import { sdkApp, sdkArtifact, sdkPart, sdkText, SdkTurn } from "../../../support/sdk-agent.js";

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
  const canceled: string[] = [];
  const executor = new SdkClerk(canceled);
  const at = await listenAt((own) =>
    sdkApp(SdkCard.fromJSON(aCard(`${own}/rpc`, described)), executor),
  );
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

  execute(context: RequestContext, bus: ExecutionEventBus) {
    const { userMessage, taskId } = context;
    const turn = new SdkTurn(context, bus);
    turn.begin(context);
    const text = sdkText(userMessage);
    if (this.#waiting.delete(taskId))
      turn.status(TaskState.TASK_STATE_COMPLETED, `Booked Oslo for ${text}`);
    else if (text === "book") {
      this.#waiting.add(taskId);
      turn.status(TaskState.TASK_STATE_INPUT_REQUIRED, "For how many nights?");
    } else if (text === "fail") turn.status(TaskState.TASK_STATE_FAILED, "Out of paper");
    else if (text === "slow") {
      turn.status(TaskState.TASK_STATE_WORKING, "Started");
      return new Promise<void>((resolve) => {
        this.#running.set(taskId, resolve);
      });
    } else {
      turn.status(TaskState.TASK_STATE_WORKING, "Reading");
      turn.write(sdkArtifact("report", sdkPart("# Tea")), false, false);
      turn.write(sdkArtifact("report", sdkPart(`\n\nYou said ${text}.`)), true, true);
      const content = { $case: "raw" as const, value: Buffer.from("bytes") };
      const file = { ...sdkPart(""), content, filename: "a.txt" };
      if (text.includes("file")) turn.write(sdkArtifact("a.txt", file), false, true);
      turn.status(TaskState.TASK_STATE_COMPLETED);
    }
    bus.finished();
    return Promise.resolve();
  }

  cancelTask(taskId: string, bus: ExecutionEventBus) {
    this.#canceled.push(taskId);
    new SdkTurn({ taskId, contextId: "" }, bus).status(TaskState.TASK_STATE_CANCELED);
    bus.finished();
    this.#running.get(taskId)?.();
    return Promise.resolve();
  }
}
