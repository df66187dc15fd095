import {
  type CallToolRequestParams,
  type CallToolResult,
  type ClientCapabilities,
  inputRequired,
  type InputRequest,
  type InputRequiredResult,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Answer, AskOptions, Outcome, AnswerUpdate } from "../../client/answer.js";
import type { RemoteAgent } from "../../client/remote-agent.js";
import type { Part } from "../../kit/model.js";
import { isInterrupted } from "../../kit/states.js";
import { textOf } from "../../kit/turns/updates.js";
import { ArgumentError, readArguments } from "./arguments.js";
import { isRefusal } from "../report.js";
import { failure, problemWith, resultOf } from "./result.js";
import { toolsOf, type ToolsOptions } from "./tools.js";

/** Headers of the calls to an agent. */
export type AgentHeaders = Readonly<Record<string, string>>;

/** A task that waits for an answer, as it travels through the client. */
export interface Waiting {
  readonly taskId: string;
  /** Whether the task waits for a sign-in. */
  readonly signIn?: boolean;
}

/** Settings of a call. */
export interface CallSettings {
  readonly remote: RemoteAgent;
  readonly tools: ToolsOptions;
  readonly capabilities: ClientCapabilities | undefined;
  readonly headers: () => AgentHeaders | Promise<AgentHeaders>;
  readonly maxLength: number;
  /** Signs a task for the caller. */
  readonly mint: (waiting: Waiting) => Promise<string>;
  readonly report: (error: unknown) => void;
}

/** Minimum interval in milliseconds between notifications about text. */
const everyMs = 100;

/** Key of the question in a result, and of the answer. */
const key = "answer";

/** A call of a tool. */
export class Call {
  readonly #context: ServerContext;
  readonly #settings: CallSettings;
  readonly #tooLong = new AbortController();
  readonly #signal: AbortSignal;
  #headers: AgentHeaders = {};
  /** Lengths of the artifacts. */
  readonly #lengths = new Map<string, number>();
  #length = 0;
  #progress = 0;
  #notifiedAt = 0;
  #unsent = "";

  constructor(context: ServerContext, settings: CallSettings) {
    this.#context = context;
    this.#settings = settings;
    this.#signal = AbortSignal.any([context.mcpReq.signal, this.#tooLong.signal]);
  }

  /** Asks the agent, or continues the task that the request names. */
  async result(params: CallToolRequestParams): Promise<CallToolResult | InputRequiredResult> {
    try {
      const outcome = await this.#called(params);
      if (outcome === undefined)
        return failure("The question was declined, and the task is canceled.");
      const { maxLength } = this.#settings;
      // A reply and a status arrive without updates.
      if (outcome.parts.reduce((sum, part) => sum + lengthOf(part), 0) > maxLength)
        return failure(`The answer has more than ${String(maxLength)} characters.`);
      return (await this.#question(outcome)) ?? resultOf(outcome);
    } catch (error) {
      return this.#failure(error);
    }
  }

  /** Returns the outcome; `undefined` if the user has declined to answer. */
  async #called({
    name,
    arguments: given = {},
  }: CallToolRequestParams): Promise<Outcome | undefined> {
    const { remote, tools, headers } = this.#settings;
    this.#headers = await headers();
    const found = toolsOf(await remote.card(), tools).find(({ tool }) => tool.name === name);
    if (found === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The tool ${name} does not exist`);
    const waiting = this.#context.mcpReq.requestState<Waiting>();
    if (waiting !== undefined) return await this.#continued(waiting);
    const { parts, contextId, taskId } = readArguments(given);
    if (taskId !== undefined && parts.length === 0) return await this.#followed(taskId);
    const { skillId } = found;
    const metadata = skillId === undefined ? undefined : { skillId };
    return await this.#sent(parts, { contextId, taskId, metadata });
  }

  /** Continues a task with the answer of the user. */
  async #continued({ taskId, signIn = false }: Waiting): Promise<Outcome | undefined> {
    const response = inputResponse(this.#context.mcpReq.inputResponses, key);
    // Without an answer, the task still waits, so the question is asked again.
    if (response.kind !== "elicit") return await this.#followed(taskId);
    if (response.action !== "accept") {
      const client = await this.#settings.remote.client();
      await client.cancelTask({ id: taskId }, this.#options()).catch(() => undefined);
      return undefined;
    }
    const answer = signIn ? "I have signed in." : response.content?.[key];
    if (signIn || typeof answer !== "string") {
      const outcome = await this.#followed(taskId);
      if (!signIn || !isInterrupted(outcome.state)) return outcome;
    }
    return await this.#sent([{ text: answer as string }], { taskId });
  }

  #failure(error: unknown): CallToolResult {
    const { maxLength, report } = this.#settings;
    // The client does not read the result of a call that its caller has canceled.
    if (this.#context.mcpReq.signal.aborted || error instanceof ProtocolError) throw error;
    if (this.#tooLong.signal.aborted)
      return failure(
        `The answer has more than ${String(maxLength)} characters, and its task is canceled.`,
      );
    if (!isRefusal(error) && !(error instanceof ArgumentError)) report(error);
    return failure(problemWith(error));
  }

  #options(): Pick<AskOptions, "signal" | "headers"> {
    return { signal: this.#signal, headers: this.#headers };
  }

  #followed(taskId: string): Promise<Outcome> {
    return this.#outcome(this.#settings.remote.follow(taskId, this.#options()));
  }

  #sent(parts: readonly Part[], options: AskOptions): Promise<Outcome> {
    return this.#outcome(this.#settings.remote.ask(parts, { ...options, ...this.#options() }));
  }

  async #outcome(answer: Answer): Promise<Outcome> {
    for (;;) {
      const { done, value } = await answer.next();
      if (done === true) return value;
      this.#measure(value);
      if (!this.#tooLong.signal.aborted) await this.#notify(value);
    }
  }

  /** Cancels the task if its answer is too long. */
  #measure(update: AnswerUpdate): void {
    if (update.type === "progress") return;
    const { artifactId } = update.artifact;
    const before = this.#lengths.get(artifactId) ?? 0;
    const added = update.type === "replaced" ? -before : lengthOf(partOf(update));
    this.#lengths.set(artifactId, before + added);
    this.#length += added;
    if (this.#length > this.#settings.maxLength) this.#tooLong.abort();
  }

  /** Notifies the caller of new text, if the caller has asked for this. */
  async #notify(update: AnswerUpdate): Promise<void> {
    const progressToken = this.#context.mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    if (update.type === "text") this.#unsent += update.text;
    else if (update.type === "progress") this.#unsent = textOf(update.message);
    const now = Date.now();
    const isTooSoon = update.type === "text" && now - this.#notifiedAt < everyMs;
    if (this.#unsent === "" || isTooSoon) return;
    const params = { progressToken, progress: ++this.#progress, message: this.#unsent };
    this.#unsent = "";
    this.#notifiedAt = now;
    await this.#context.mcpReq
      .notify({ method: "notifications/progress", params })
      .catch(() => undefined);
  }

  /** Returns the question to the user of the client; `undefined` if the client cannot ask it. */
  async #question({
    state,
    said,
    text,
    links,
    task,
  }: Outcome): Promise<InputRequiredResult | undefined> {
    const elicitation = this.#settings.capabilities?.elicitation;
    if (elicitation === undefined || task === undefined || !isInterrupted(state)) return undefined;
    const message = said || text || "The agent waits for an answer.";
    const [url] = links;
    // Without any mode, a client supports forms.
    const { url: urls, form = urls === undefined ? {} : undefined } = elicitation;
    if ((url === undefined ? form : urls) === undefined) return undefined;
    const request: InputRequest =
      url === undefined
        ? inputRequired.elicit({ message, requestedSchema })
        : inputRequired.elicitUrl({ message, url });
    const waiting = { taskId: task.id, ...(url !== undefined && { signIn: true }) };
    const requestState = await this.#settings.mint(waiting);
    return inputRequired({ inputRequests: { [key]: request }, requestState });
  }
}

const requestedSchema = {
  type: "object" as const,
  properties: { [key]: { type: "string" as const, title: "Answer" } },
  required: [key],
};

function partOf(update: AnswerUpdate & { type: "text" | "part" }): Part {
  return update.type === "text" ? { text: update.text } : update.part;
}

function lengthOf({ text = "", raw = "", url = "", filename = "", data }: Part): number {
  const json = data === undefined ? "" : JSON.stringify(data);
  return text.length + raw.length + url.length + filename.length + json.length;
}
