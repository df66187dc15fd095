import { AgentCard as SdkCard, type Part as SdkPart, TaskState as SdkState } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from "@a2a-js/sdk/server";
import { onTestFinished } from "vitest";
import { createAgent, type AgentCard } from "../../../generated/1.0/index.js";
import {
  artifact,
  authRequired,
  completed,
  failed,
  inputRequired,
  message as reply,
  taskService,
  textOf,
  working,
} from "../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";
import { v0_3 } from "../../../generated/1.0/versions/0.3/server.js";
import { aCard } from "../../support/cards.js";
import { listenAt } from "../../support/http.js";
import {
  sdkApp,
  sdkArtifact,
  sdkMessage,
  sdkPart,
  sdkText,
  SdkTurn,
} from "../../support/sdk-agent.js";

/**
 * An agent that bridges call. Its answer depends on a word in the message:
 *
 * - `book` asks "For how many nights?", and completes with "Booked Oslo for …"
 * - `sign in` waits until the user has signed in, and completes with "Signed in as …"
 * - `fail` fails with "Out of paper"
 * - `ping` replies "pong" without a task
 * - `slow` writes an artifact after the other until its task is canceled
 * - `file` adds a file to the report that all other messages get
 */
export interface Peer {
  readonly url: string;
  /** Messages that the agent has received: their ids, contexts and texts. */
  readonly received: Received[];
  /** Resolves when the agent notices that a slow task is canceled. */
  readonly canceled: Promise<void>;
}

/** A message that an agent has received. */
export interface Received {
  readonly messageId: string;
  readonly contextId: string;
  readonly text: string;
}

/** Agents of the kit and of the official SDK, by name. Each test starts its own. */
export const peers = {
  "the kit, 1.0": () => kitPeer("1.0"),
  "the kit, 0.3 only": () => kitPeer("0.3"),
  "the SDK, 1.3": sdkPeer,
} as const;

const file = { raw: btoa("bytes"), filename: "a.txt", mediaType: "text/plain" };
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

function noting(): { peer: Omit<Peer, "url">; cancel: () => void } {
  let cancel: () => void = () => undefined;
  const canceled = new Promise<void>((resolve) => (cancel = resolve));
  return { peer: { received: [], canceled }, cancel };
}

async function kitPeer(version: "1.0" | "0.3"): Promise<Peer> {
  const { peer, cancel } = noting();
  const service = taskService<unknown, { waits: "book" | "sign in" }>({
    reply({ message }) {
      return textOf(message) === "ping" ? reply("pong") : undefined;
    },
    async *run({ message, state, signal, task }) {
      const text = textOf(message);
      const { messageId } = message;
      peer.received.push({ messageId, contextId: task.contextId, text });
      if (state !== undefined)
        return completed(`${state.waits === "book" ? "Booked Oslo for" : "Signed in as"} ${text}`);
      if (text.includes("book"))
        return inputRequired("For how many nights?", { state: { waits: "book" } });
      if (text.includes("sign in"))
        return authRequired("Sign in at https://login.example/x", { state: { waits: "sign in" } });
      if (text.includes("fail")) return failed("Out of paper");
      if (text.includes("slow")) {
        signal.addEventListener("abort", cancel);
        for (let index = 0; !signal.aborted; index += 1) {
          yield artifact(`part ${String(index)}`).finish("x");
          await pause();
        }
      }
      yield working("Reading");
      const report = artifact("report", "text/markdown");
      for (const part of ["# Tea", "\n\n", `You said ${text}`]) yield report.text(part);
      yield report.finish(".");
      if (text.includes("file")) yield artifact("a.txt").finish([file]);
      return completed();
    },
  });
  onTestFinished(() => service.close());
  const versions = version === "1.0" ? ["1.0", "0.3"] : ["0.3"];
  const protocolBinding = "JSONRPC";
  const url = await listenAt((at) => {
    const interfaces = versions.map((each) => ({
      url: at,
      protocolBinding,
      protocolVersion: each,
    }));
    const card = aCard(interfaces, modes);
    return nodeListener(createAgent({ card, service, versions: [v0_3] }));
  });
  return { ...peer, url };
}

const modes: Partial<AgentCard> = { defaultInputModes: ["text/plain", "application/json"] };

async function sdkPeer(): Promise<Peer> {
  const { peer, cancel } = noting();
  const executor = new Executor(peer.received, cancel);
  const url = await listenAt((at) => sdkApp(SdkCard.fromJSON(aCard(`${at}/rpc`, modes)), executor));
  return { ...peer, url };
}

class Executor implements AgentExecutor {
  readonly #received: Received[];
  readonly #cancel: () => void;
  readonly #waiting = new Map<string, string>();
  readonly #canceled = new Set<string>();

  constructor(received: Received[], cancel: () => void) {
    this.#received = received;
    this.#cancel = cancel;
  }

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { userMessage, taskId, contextId } = context;
    const text = sdkText(userMessage);
    const { messageId } = userMessage;
    this.#received.push({ messageId, contextId, text });
    if (text === "ping") {
      bus.publish(AgentEvent.message(sdkMessage(sdkPart("pong"), { taskId: "", contextId })));
      bus.finished();
      return;
    }
    const turn = new SdkTurn(context, bus);
    const write = (id: string, part: SdkPart, append: boolean, lastChunk: boolean) => {
      turn.write(sdkArtifact(id, part), append, lastChunk);
    };
    turn.begin(context);
    const waits = this.#waiting.get(taskId);
    if (waits !== undefined) {
      this.#waiting.delete(taskId);
      turn.status(SdkState.TASK_STATE_COMPLETED, `${waits} ${text}`);
    } else if (text.includes("book")) {
      this.#waiting.set(taskId, "Booked Oslo for");
      turn.status(SdkState.TASK_STATE_INPUT_REQUIRED, "For how many nights?");
    } else if (text.includes("sign in")) {
      this.#waiting.set(taskId, "Signed in as");
      turn.status(SdkState.TASK_STATE_AUTH_REQUIRED, "Sign in at https://login.example/x");
    } else if (text.includes("fail")) {
      turn.status(SdkState.TASK_STATE_FAILED, "Out of paper");
    } else if (text.includes("slow")) {
      for (let index = 0; !this.#canceled.has(taskId); index += 1) {
        write(`part ${String(index)}`, sdkPart("x"), false, true);
        await pause();
      }
      return;
    } else {
      turn.status(SdkState.TASK_STATE_WORKING, "Reading");
      for (const [index, part] of ["# Tea", "\n\n", `You said ${text}`, "."].entries())
        write("report", sdkPart(part), index > 0, part === ".");
      if (text.includes("file")) {
        const content = { $case: "raw" as const, value: Buffer.from("bytes") };
        const { filename, mediaType } = file;
        write("a.txt", { content, filename, mediaType, metadata: undefined }, false, true);
      }
      turn.status(SdkState.TASK_STATE_COMPLETED);
    }
    bus.finished();
  }

  cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    this.#canceled.add(taskId);
    this.#cancel();
    new SdkTurn({ taskId, contextId: "" }, bus).status(SdkState.TASK_STATE_CANCELED);
    bus.finished();
    return Promise.resolve();
  }
}
