import type { JsonObject } from "../../runtime/base/json.js";
import { base64Of } from "../../runtime/protobuf/base64.js";
import { type Message, Role } from "../../kit/model.js";
import { artifact } from "../../kit/turns/artifact.js";
import { json } from "../../kit/turns/json.js";
import { abortable } from "../../kit/turns/source.js";
import type { Turn } from "../../kit/turns/turn.js";
import {
  canceled,
  completed,
  type End,
  inputRequired,
  rejected,
  type Update,
} from "../../kit/turns/updates.js";
import { AnswerText, fileArtifact, toolUpdates } from "../answer.js";
import { earlierUtterances, type Utterance, utteranceOf } from "../conversation.js";
import { withFetchedFiles } from "../fetch-file.js";
import { FurtherMessages } from "../further-messages.js";
import type { MastraOptions } from "./options.js";
import { decisionIn, denialOf, questionParts } from "../questions.js";
import { addUsage, memberOf, optionalString, stringIn, type Usage } from "../reading.js";
import {
  type MastraAgent,
  type MastraCall,
  type MastraMessage,
  messageOf,
  type MastraOutput,
} from "./agent.js";
import {
  type MastraState,
  questionOf,
  resumeDataIn,
  type Suspension,
  suspensionOf,
} from "./questions.js";

type Updates<Result = void> = AsyncGenerator<Update, Result, undefined>;
type Ended = End<MastraState> | undefined;

/** A turn of a Mastra agent. */
export class MastraTurn<User> {
  readonly #agent: MastraAgent;
  readonly #turn: Turn<User, MastraState>;
  readonly #options: MastraOptions<User>;
  #answer: AnswerText;
  readonly #sources: unknown[] = [];
  /** Stops a run whose turn has failed, so that it calls no further tools. */
  readonly #failed = new AbortController();
  #further: FurtherMessages;
  #runId: string;
  #open: readonly Suspension[];
  #files: number;
  #usage: Usage;
  /** Options of the author for each call. */
  #given: object | undefined;
  #steps = 0;
  #finishReason: string | undefined;
  /** All messages of the run that has ended. */
  #messages: MastraMessage[] = [];

  constructor(agent: MastraAgent, turn: Turn<User, MastraState>, options: MastraOptions<User>) {
    const { runId = "", open = [], text = "", files = 0, usage = {} } = turn.state ?? {};
    this.#agent = agent;
    this.#turn = turn;
    this.#options = options;
    this.#answer = new AnswerText(turn, options, text);
    this.#further = new FurtherMessages(turn, turn.state?.later);
    this.#runId = runId;
    this.#open = open;
    this.#files = files;
    this.#usage = usage;
  }

  async *run(): Updates<End<MastraState>> {
    try {
      return yield* this.#run();
    } catch (error) {
      this.#failed.abort();
      throw error;
    }
  }

  async *#run(): Updates<End<MastraState>> {
    yield* this.#answer.restored();
    this.#given = await this.#options.call?.(this.#turn);
    let ended = yield* this.#open.length === 0 ? this.#begin() : this.#resume(this.#open);
    for (;;) {
      if (ended !== undefined) return ended;
      if (this.#open.length > 0) return this.#ask();
      const message = this.#further.take();
      if (message === undefined) return completed(undefined, { metadata: this.#metadata() });
      ended = yield* this.#stream([...this.#messages, await this.#read(message)]);
    }
  }

  /** Begins a run with the whole conversation. */
  async *#begin(): Updates<Ended> {
    const { task } = this.#turn;
    this.#further = new FurtherMessages(this.#turn, undefined);
    const earlier = await earlierUtterances(this.#turn, this.#options.memory ?? 20);
    const messages: MastraMessage[] = [];
    for (const utterance of earlier) messages.push(await this.#fetched(utterance));
    for (const message of task.history ?? [])
      if (message.role === Role.User) messages.push(await this.#read(message));
    return yield* this.#stream(messages);
  }

  async *#stream(messages: MastraMessage[]): Updates<Ended> {
    return yield* this.#updates(await this.#agent.stream(messages, this.#call()));
  }

  /** Resumes the run with the answers to its questions. Keeps the questions without an answer. */
  async *#resume(open: readonly Suspension[]): Updates<Ended> {
    let message = this.#further.answer(this.#options.approves);
    if (message === undefined) return undefined;
    for (const suspension of open) {
      const answer = this.#answerTo(suspension, message, open.length === 1);
      if (answer === undefined) continue;
      // A text answers one request for data only, because others may ask for something else.
      if (suspension.type === "data")
        message = { ...message, parts: message.parts.filter(({ text }) => text === undefined) };
      this.#open = this.#open.filter((each) => each !== suspension);
      let output: MastraOutput;
      try {
        output = await answer();
      } catch (error) {
        // After a crash, Mastra cannot resume a run that ended before its process did.
        if (!this.#turn.resumed) throw error;
        this.#open = [];
        this.#answer = new AnswerText(this.#turn, this.#options);
        return yield* this.#begin();
      }
      const ended = yield* this.#updates(output);
      if (ended !== undefined) return ended;
    }
    return undefined;
  }

  /** Returns the call that passes on an answer; `undefined` if the message does not answer. */
  #answerTo(
    suspension: Suspension,
    message: Message,
    isOnly: boolean,
  ): (() => Promise<MastraOutput>) | undefined {
    const { type, toolCallId } = suspension;
    const call = { ...this.#call(), runId: this.#runId, toolCallId };
    if (type === "data") {
      const data = resumeDataIn(message, suspension, isOnly);
      return data === undefined ? undefined : () => this.#agent.resumeStream(data, call);
    }
    const decision = decisionIn(message, [toolCallId], this.#options.approves);
    if (decision === undefined) return undefined;
    const { approved, reason } = decision;
    if (approved) return () => this.#agent.approveToolCall(call);
    return () =>
      this.#agent.declineToolCall(
        reason === undefined ? call : { ...call, reason: denialOf(reason) },
      );
  }

  #call(): MastraCall {
    const abortSignal = AbortSignal.any([this.#turn.signal, this.#failed.signal]);
    return { ...this.#given, abortSignal };
  }

  /** Yields the updates for a call. Returns an end if the run is refused or aborted. */
  async *#updates(output: MastraOutput): Updates<Ended> {
    this.#runId = stringIn(output, "runId", "Mastra");
    let isFinished = false;
    for await (const item of abortable(output.fullStream, this.#turn.signal)) {
      const type = stringIn(item, "type", "Mastra");
      const payload = memberOf(item, "payload");
      if (type === "error") throw errorIn(payload);
      if (type === "abort") return canceled();
      if (type === "tripwire") return rejected(optionalString(payload, "reason"));
      if (type === "finish") {
        isFinished = true;
        this.#finish(payload);
      } else if (type === "tool-call-approval") this.#suspend("approval", payload);
      else if (type === "tool-call-suspended") this.#suspend("data", payload);
      else if (type === "object-result")
        yield artifact("object").finish([{ data: json<unknown>(memberOf(item, "object")) }]);
      else yield* this.#content(type, payload);
    }
    if (isFinished || this.#open.length > 0) return undefined;
    throw new Error("Mastra ended the stream of a run that is neither finished nor suspended");
  }

  /** Yields the updates for text, files and tools. */
  *#content(type: string, payload: unknown): Generator<Update> {
    const toolName = optionalString(payload, "toolName") ?? "a tool";
    const call = { toolName, toolCallId: optionalString(payload, "toolCallId") };
    const { tools } = this.#options;
    switch (type) {
      case "step-start":
        this.#steps += 1;
        break;
      case "text-delta":
        yield* this.#answer.text(stringIn(payload, "text", "Mastra"), this.#steps);
        break;
      case "reasoning-delta":
        yield* this.#answer.reasoning(stringIn(payload, "text", "Mastra"));
        break;
      case "file":
        this.#files += 1;
        yield fileArtifact(fileIn(payload), this.#files);
        break;
      case "source":
        this.#sources.push(payload);
        break;
      case "tool-call":
        yield* toolUpdates({ type, ...call, input: memberOf(payload, "args") }, tools);
        break;
      case "tool-result":
        yield* toolUpdates({ type, ...call, output: memberOf(payload, "result") }, tools);
        break;
      case "tool-error":
      case "tool-output-denied":
        yield* toolUpdates({ type, ...call }, tools);
    }
  }

  #suspend(type: Suspension["type"], payload: unknown): void {
    this.#open = [...this.#open, suspensionOf(type, payload)];
  }

  #finish(payload: unknown): void {
    // Mastra counts the whole run, including its steps before a question.
    this.#usage = addUsage(this.#usage, memberOf(payload, "output", "usage"));
    this.#finishReason = optionalString(memberOf(payload, "stepResult"), "reason");
    const messages = memberOf(payload, "messages", "all");
    // Mastra accepts the messages that it returns.
    this.#messages = Array.isArray(messages) ? (messages as MastraMessage[]) : [];
  }

  #ask(): End<MastraState> {
    const state = {
      runId: this.#runId,
      open: this.#open,
      text: this.#answer.written,
      files: this.#files,
      usage: this.#usage,
      ...this.#further.later,
    };
    const metadata = this.#metadata();
    return inputRequired(questionParts(this.#open.map(questionOf)), { state, metadata });
  }

  #metadata(): JsonObject {
    const usage = this.#usage;
    const sources = this.#sources.length === 0 ? undefined : this.#sources;
    return json<object>({ mastra: { usage, finishReason: this.#finishReason, sources } });
  }

  #read(message: Message): Promise<MastraMessage> {
    return this.#fetched(utteranceOf(message));
  }

  async #fetched(utterance: Utterance): Promise<MastraMessage> {
    return messageOf(await withFetchedFiles(utterance, this.#options, this.#turn.signal));
  }
}

function fileIn(payload: unknown): { raw: string; mediaType: string; filename?: string } {
  const content = memberOf(payload, "base64") ?? memberOf(payload, "data");
  const raw = content instanceof Uint8Array ? base64Of(content) : content;
  const mediaType = optionalString(payload, "mediaType") ?? stringIn(payload, "mimeType", "Mastra");
  if (typeof raw !== "string") throw new TypeError("Mastra returned a file without content");
  const filename = optionalString(payload, "filename");
  return filename === undefined ? { raw, mediaType } : { raw, mediaType, filename };
}

function errorIn(payload: unknown): Error {
  const error = memberOf(payload, "error");
  return error instanceof Error ? error : new Error("The run of Mastra failed", { cause: error });
}
