import { onTestFinished } from "vitest";
import { createAgent } from "../../../../generated/1.0/index.js";
import {
  artifact,
  completed,
  failed,
  inputRequired,
  taskService,
  textOf,
} from "../../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../../generated/1.0/server/node.js";
import { v0_3 } from "../../../../generated/1.0/versions/0.3/server.js";
import { aiAgent } from "../../../../library/bridges/ai-sdk.js";
import type { Behavior } from "../../../../library/kit/turns/turn.js";
import { anyInput, calling, scripted, sdks } from "../../../product/bridges/ai-sdk/scripted.js";
import type { Step } from "../../../product/bridges/framework.js";
import { gate } from "../../../product/bridges/talk.js";
import { aCard } from "../../../support/cards.js";
import { listen } from "../../../support/http.js";

/** The file that the agents and their callers send. */
export const file = { raw: btoa("bytes"), filename: "a.png", mediaType: "image/png" };

/** Text of the answers to `tea` and `draw`. */
export const tea = "Tea is hot.";

/** A running agent. */
export interface Running {
  readonly url: string;
  /** Actions of callers so far. */
  readonly noticed: Noticed;
  /** Lets slow tasks complete. */
  readonly release: () => void;
}

/** Actions of callers that an agent has noticed. */
interface Noticed {
  /** Whether the question of a task was answered. */
  isAnswered: boolean;
  /** Whether a task was canceled. */
  isCanceled: boolean;
}

/** Options of {@link startAgent}. */
export interface AgentOptions {
  /** The only version that the agent supports. */
  readonly version: "1.0" | "0.3";
  /** Whether the agent is an agent of the AI SDK; otherwise it only uses the kit. */
  readonly isBridge?: boolean;
  /** Whether the card declares that the agent streams; `true` by default. */
  readonly streaming?: boolean;
}

/** Starts an agent. */
export async function startAgent(options: AgentOptions): Promise<Running> {
  const { version, isBridge = false, streaming = true } = options;
  const noticed: Noticed = { isAnswered: false, isCanceled: false };
  const { open: release, opened: released } = gate();
  const service = isBridge ? taskService(bridge(noticed)) : taskService(kit(noticed, released));
  onTestFinished(() => service.close());
  const server: { listener?: ReturnType<typeof nodeListener> } = {};
  const url = await listen((request, response) => server.listener?.(request, response));
  const card = aCard([{ url, protocolBinding: "JSONRPC", protocolVersion: version }], {
    capabilities: { streaming },
    defaultInputModes: ["*/*"],
  });
  const versions = version === "0.3" ? [v0_3] : [];
  server.listener = nodeListener(
    createAgent({ card, service, versions, onError: () => undefined }),
  );
  return { url, noticed, release };
}

/**
 * Answers `tea` with a text, `draw` with a text and a file, `read` with the number of files in the
 * message, `book` with a question, and `fail` with a failure. A task of `slow` waits until it is
 * canceled or released.
 */
function kit(noticed: Noticed, released: Promise<void>): Behavior<unknown, true> {
  return {
    async *run({ message, state, signal, untilAborted }) {
      const text = textOf(message);
      if (state === true) {
        noticed.isAnswered = true;
        return completed("Booked");
      }
      if (text === "book") return inputRequired("For how many nights?", { state: true });
      if (text === "fail") return failed("Out of paper");
      const answer = artifact("answer", "text/markdown");
      if (text === "slow") {
        signal.addEventListener("abort", () => (noticed.isCanceled = true));
        yield answer.text("Slowly");
        await untilAborted(released);
      } else if (text === "tea") {
        yield answer.text("Tea is ");
        // The next chunk is another event.
        await new Promise(setImmediate);
        yield answer.finish("hot.");
      } else if (text === "draw") {
        yield answer.text(tea);
        await new Promise(setImmediate);
        yield artifact(file.filename).finish([file]);
      } else {
        const files = message.parts.filter(({ raw }) => raw !== undefined);
        yield answer.finish(`${String(files.length)} files`);
      }
      return completed();
    },
  };
}

/** Answers `book` with the approval of a tool call, and fails with `fail`. */
function bridge(noticed: Noticed): ReturnType<typeof aiAgent> {
  const { model } = scripted(answerTo);
  const mail = {
    inputSchema: anyInput,
    execute: () => {
      noticed.isAnswered = true;
      return "sent";
    },
  };
  const toolApproval = { mail: "user-approval" } as never;
  return aiAgent((call) => sdks[7].streamText({ model, tools: { mail }, toolApproval, ...call }));
}

function answerTo(last: string): Step {
  if (last.includes('"sent"')) return ["Booked"];
  if (last.includes("book")) return [calling("mail", { to: "ada" })];
  return [{ type: "error", error: new Error("Out of paper") }];
}
