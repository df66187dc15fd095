import { isObject, type JsonObject, type JsonValue } from "../runtime/base/json.js";
import type { Part } from "../kit/model.js";
import { json } from "../kit/turns/json.js";
import type { Turn } from "../kit/turns/turn.js";
import { type Progress, working } from "../kit/turns/updates.js";
import { untilAborted } from "../kit/turns/until-aborted.js";
import { longestMs } from "../kit/timer.js";
import { type Asked, questionFor, responsesIn } from "./mcp-tools/questions.js";
import { readResult } from "./mcp-tools/result.js";

/** The members of an MCP client that `callTool` uses. A client of the official package has them. */
export interface ToolClient {
  callTool(params: ToolParams, options: ToolOptions): Promise<unknown>;
}

/** Parameters of a call of a tool. */
export interface ToolParams {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly inputResponses?: JsonObject;
  readonly requestState?: string;
}

/** Options of a call of a tool. */
export interface ToolOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
  readonly resetTimeoutOnProgress: true;
  readonly allowInputRequired: true;
  readonly onprogress: (progress: ToolProgress) => void;
}

/** Progress of a tool. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** The question of a tool, in the state of a turn. */
export interface McpWait {
  readonly mcp: {
    readonly key: string;
    readonly arguments: JsonObject;
    readonly requestState?: string;
    readonly asked: Readonly<Record<string, Asked>>;
  };
}

/** The result of a tool. */
export interface ToolResult {
  /** Content of the result; empty if the tool has failed. */
  readonly parts: readonly Part[];
  /** The `structuredContent` of the result. */
  readonly structured?: JsonValue;
  readonly isError: boolean;
  /**
   * Text of an error, for a model or the operator. It may contain the text of an exception, so
   * callers should not receive it.
   */
  readonly error?: string;
  readonly wait?: undefined;
}

/** The question of a tool, which the caller must answer. */
export interface ToolQuestion {
  /** Content of the question: a text for people, and data with the id and the schema. */
  readonly question: readonly Part[];
  /** URLs that the user must open, such as a sign-in page. */
  readonly links: readonly string[];
  /** Part of the state of the next turn. */
  readonly wait: McpWait;
  readonly isError?: undefined;
}

/** Options for {@link callTool}. */
export interface CallToolOptions {
  /**
   * Identifies the call in the next turn if a turn calls the same tool several times. Default: the
   * name of the tool.
   */
  readonly key?: string;
  /**
   * Milliseconds without progress after which the call fails; 5 minutes by default. The official
   * client does not notice if the connection is lost during a call.
   */
  readonly silenceMs?: number;
}

/** Milliseconds before a call that a server has put off. */
const paceMs = 250;

/** Maximum number of progress messages that wait for the turn. */
const maxQueue = 100;

/** Questions that this process has answered, so that a turn answers each of them once. */
const answered = new WeakSet<object>();

/**
 * Calls a tool of an MCP server in a turn. Its progress becomes updates. If the tool asks a
 * question, the turn ends with this question, and `callTool` in the next turn answers it with the
 * caller's message. The arguments are then the arguments of the first call.
 *
 * @example
 * const called = yield* callTool(client, "search", { query }, turn);
 * if (called.wait) return inputRequired(called.question, { state: called.wait });
 */
export async function* callTool(
  client: ToolClient,
  name: string,
  args: Readonly<Record<string, unknown>>,
  turn: Pick<Turn, "message" | "early" | "signal" | "state">,
  { key = name, silenceMs = 300_000 }: CallToolOptions = {},
): AsyncGenerator<Progress, ToolResult | ToolQuestion, undefined> {
  const waiting = waitingIn(turn.state, key);
  let params: ToolParams = { name, arguments: json<object>(waiting?.arguments ?? args) };
  if (waiting !== undefined) {
    const { asked, requestState } = waiting;
    // An early message may answer an earlier question.
    const inputResponses = turn.early ? undefined : responsesIn(asked, turn.message);
    if (inputResponses === undefined) return { ...questionFor(asked), wait: { mcp: waiting } };
    answered.add(waiting);
    params = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) };
  }
  for (;;) {
    const result = readResult(name, yield* progressOf(client, params, silenceMs, turn.signal));
    if (!("asked" in result)) return result;
    const { asked, ...state } = result;
    if (Object.keys(asked).length > 0) {
      const mcp = { key, arguments: json<object>(params.arguments), asked, ...state };
      return { ...questionFor(asked), wait: { mcp } };
    }
    // The server asks for another call without an answer.
    params = { name, arguments: params.arguments, ...state };
    const pause = new Promise((resolve) => setTimeout(resolve, paceMs));
    await untilAborted(pause, turn.signal);
  }
}

/** Yields the progress of a call, and returns its result. */
async function* progressOf(
  client: ToolClient,
  params: ToolParams,
  silenceMs: number,
  turnSignal: AbortSignal,
): AsyncGenerator<Progress, unknown, undefined> {
  const left = new AbortController();
  const signal = AbortSignal.any([turnSignal, left.signal]);
  const queue: string[] = [];
  let wake: () => void = () => undefined;
  const state = { isOver: false };
  const onprogress = ({ message, progress, total }: ToolProgress): void => {
    const of = total === undefined ? "" : ` of ${String(total)}`;
    queue.push(message ?? `${params.name}: ${String(progress)}${of}`);
    if (queue.length > maxQueue) queue.shift();
    wake();
  };
  const options: ToolOptions = {
    signal,
    timeout: Math.min(silenceMs, longestMs),
    resetTimeoutOnProgress: true,
    allowInputRequired: true,
    onprogress,
  };
  const call = untilAborted(client.callTool(params, options), signal).finally(() => {
    state.isOver = true;
    wake();
  });
  // The error is thrown below, unless the turn has ended.
  call.catch(() => undefined);
  try {
    for (;;) {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) yield working(next);
      if (state.isOver) return await call;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    left.abort();
  }
}

function waitingIn(state: unknown, key: string): McpWait["mcp"] | undefined {
  if (!isObject<McpWait>(state) || !isObject<McpWait["mcp"]>(state.mcp)) return undefined;
  if (state.mcp.key !== key || answered.has(state.mcp)) return undefined;
  // Only `callTool` writes this member of the state.
  return state.mcp as McpWait["mcp"];
}
