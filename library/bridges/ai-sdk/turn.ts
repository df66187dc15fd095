import type { Message } from "../../kit/model.js";
import { json } from "../../kit/turns/json.js";
import { abortable } from "../../kit/turns/source.js";
import type { Turn } from "../../kit/turns/turn.js";
import {
  completed,
  type End,
  inputRequired,
  type Update,
  working,
} from "../../kit/turns/updates.js";
import type { JsonValue } from "../../runtime/base/json.js";
import { AnswerText, type ServingOptions } from "../answer.js";
import { earlierUtterances } from "../conversation.js";
import { fetchFiles } from "../fetch-file.js";
import { FurtherMessages } from "../further-messages.js";
import { questionParts } from "../questions.js";
import {
  addAnswers,
  addedUsage,
  answersIn,
  checkedMessages,
  messagesIn,
  modelMessage,
  openCallsIn,
  questionAbout,
  storedLog,
  textIn,
} from "./log.js";
import type { LogEntry, ModelMessage, SdkMessage } from "./messages.js";
import { StreamReader } from "./stream.js";
import type { AiCall, AiState, AiStream, Download, Step } from "./types.js";

/** Starts the stream of an agent. */
export type StartStream<User> = (
  call: AiCall,
  turn: Turn<User>,
) => AiStream | PromiseLike<AiStream>;

/** A turn of an agent of the AI SDK. */
export class AiTurn<User> {
  readonly #start: StartStream<User>;
  readonly #turn: Turn<User, AiState>;
  readonly #options: ServingOptions;
  readonly #log: LogEntry[];
  readonly #files: string[];
  readonly #messages: Message[];
  readonly #further: FurtherMessages;
  #usage: JsonValue | undefined;
  #finishReason: string | undefined;
  /** Stops a run whose turn has failed, so that it calls no further tools. */
  readonly #failed = new AbortController();
  /** Error of a callback, which the AI SDK would ignore. */
  #failure: { readonly thrown: unknown } | undefined;

  constructor(start: StartStream<User>, turn: Turn<User, AiState>, options: ServingOptions) {
    const { state, task, message } = turn;
    this.#start = start;
    this.#turn = turn;
    this.#options = options;
    this.#log = [...(state?.log ?? [])];
    this.#files = [...(state?.files ?? [])];
    this.#messages = [...(task.history ?? []), message];
    this.#further = new FurtherMessages(turn, state?.later);
    this.#usage = state?.usage;
    this.#finishReason = state?.finishReason;
  }

  async *updates(): AsyncGenerator<Update, End<AiState>, undefined> {
    try {
      return yield* this.#updates();
    } catch (error) {
      this.#failed.abort();
      this.#throwFailure();
      throw error;
    }
  }

  async *#updates(): AsyncGenerator<Update, End<AiState>, undefined> {
    const { saved, message, emit } = this.#turn;
    const answer = new AnswerText(this.#turn, this.#options, textIn(this.#log));
    yield* answer.restored();
    const open = openCallsIn(this.#log);
    // The process may have ended between the last step and the end of the turn.
    let isAnswered = saved === "this" && this.#hasEnded;
    if (saved === "this") {
      if (open.length > 0) return this.#end([]);
    } else if (open.length === 0) {
      this.#log.push({ id: message.messageId });
    } else {
      const { approves } = this.#options;
      const reply = this.#further.answer(approves);
      const answers = reply === undefined ? [] : answersIn(reply, open, approves);
      if (answers.length > 0) addAnswers(this.#log, answers);
      // The agent only continues when all questions are answered.
      if (openCallsIn(this.#log).length > 0) return this.#end([]);
    }
    const memory = await earlierUtterances(this.#turn, this.#options.memory ?? 20);
    const earlier = memory.map(modelMessage);
    for (;;) {
      const reader = new StreamReader(answer, this.#files, this.#options);
      if (!isAnswered) yield* this.#run(earlier, reader);
      isAnswered = false;
      const next = openCallsIn(this.#log).length > 0 ? undefined : this.#further.take();
      if (next === undefined) return this.#end(reader.sources);
      this.#messages.push(next);
      this.#log.push({ id: next.messageId });
      this.#finishReason = undefined;
      await this.#save();
      await emit(working());
    }
  }

  /** Runs the agent until it has answered, or waits for the caller. */
  async *#run(earlier: readonly ModelMessage[], reader: StreamReader): AsyncGenerator<Update> {
    const { signal, untilAborted } = this.#turn;
    const before = this.#log.length;
    const starting = this.#start(this.#call(earlier), this.#turn);
    const result = await untilAborted(Promise.resolve(starting));
    const stream = result.stream ?? result.fullStream;
    if (stream === undefined)
      throw new TypeError("The agent returned no stream: return the result of `streamText`");
    for await (const part of abortable(stream, signal)) {
      this.#throwFailure();
      yield* reader.updates(part);
    }
    this.#throwFailure();
    signal.throwIfAborted();
    const messages = result.responseMessages ?? (await result.response)?.messages ?? [];
    const all = await untilAborted(Promise.resolve(messages));
    this.#replace(before, all);
    this.#finishReason = reader.finishReason ?? this.#finishReason;
  }

  #call(earlier: readonly ModelMessage[]): AiCall {
    const { signal, task } = this.#turn;
    const abortSignal = AbortSignal.any([signal, this.#failed.signal]);
    const before = this.#log.length;
    const sources = { messages: this.#messages, task, files: this.#files };
    const messages = [...earlier, ...messagesIn(this.#log, sources)];
    let isSeven = false;
    const saveStep = async ({ response, finishReason, usage }: Step, keep: number) => {
      this.#replace(keep, response.messages);
      this.#usage = addedUsage(this.#usage, usage);
      this.#finishReason = finishReason;
      await this.#save();
    };
    const call: AiCall = {
      // The AI SDK checks the messages.
      messages: messages as never[],
      abortSignal,
      onStepEnd: (step) => {
        isSeven = true;
        // In version 7, a step has its own messages.
        return this.#noting(() => saveStep(step, this.#log.length));
      },
      onStepFinish: (step) =>
        // In version 6, a step has the messages of all steps.
        isSeven ? Promise.resolve() : this.#noting(() => saveStep(step, before)),
      experimental_onStepStart: (start) =>
        this.#noting(async () => {
          // The results of tools that the caller has approved belong to no step.
          const results = start.stepNumber === 0 ? start.messages.slice(messages.length) : [];
          if (results.length === 0 || results.some(({ role }) => role !== "tool")) return;
          this.#replace(this.#log.length, results);
          await this.#save();
        }),
      onError: () => undefined,
    };
    if (this.#options.urls === "pass") return call;
    return { ...call, experimental_download: (files) => this.#download(files, abortSignal) };
  }

  async #download(
    files: readonly Download[],
    signal: AbortSignal,
  ): ReturnType<NonNullable<AiCall["experimental_download"]>> {
    const urls = files.map(({ url, isUrlSupportedByModel }) =>
      isUrlSupportedByModel ? undefined : url.href,
    );
    const fetched = await fetchFiles(urls, this.#options, signal);
    return fetched.map((file) => file ?? null);
  }

  /** Replaces the entries of the log from an index on. */
  #replace(from: number, messages: readonly SdkMessage[]): void {
    this.#log.length = from;
    for (const message of checkedMessages(messages)) this.#log.push(message);
  }

  /** Notes the error of a callback, because the AI SDK ignores it. */
  async #noting(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (thrown) {
      this.#failure ??= { thrown };
      this.#failed.abort();
    }
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  get #hasEnded(): boolean {
    return this.#finishReason !== undefined && this.#finishReason !== "tool-calls";
  }

  get #state(): AiState {
    return {
      log: storedLog(this.#log),
      files: this.#files,
      ...(this.#usage !== undefined && { usage: this.#usage }),
      ...(this.#finishReason !== undefined && { finishReason: this.#finishReason }),
      ...this.#further.later,
    };
  }

  #save(): Promise<void> {
    return this.#turn.checkpoint(this.#state);
  }

  #end(sources: readonly JsonValue[]): End<AiState> {
    const about = {
      usage: this.#usage,
      finishReason: this.#finishReason,
      ...(sources.length > 0 && { sources }),
    };
    const metadata = { aiSdk: json<object>(about) };
    const open = openCallsIn(this.#log);
    if (open.length === 0) return completed(undefined, { metadata });
    const questions = questionParts(open.map(questionAbout));
    return inputRequired(questions, { state: this.#state, metadata });
  }
}
