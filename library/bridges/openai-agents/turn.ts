import {
  type Agent,
  type AgentInputItem,
  type AgentOutputType,
  InputGuardrailTripwireTriggered,
  OutputGuardrailTripwireTriggered,
  RunContext,
  type Runner,
  RunState,
} from "@openai/agents";
import type { JsonObject } from "../../runtime/base/json.js";
import { type Message, Role } from "../../kit/model.js";
import { artifact } from "../../kit/turns/artifact.js";
import { json } from "../../kit/turns/json.js";
import { abortable } from "../../kit/turns/source.js";
import type { Turn } from "../../kit/turns/turn.js";
import {
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
import type { OpenAiOptions } from "./options.js";
import { approvalQuestion, decisionIn, denialOf, questionParts } from "../questions.js";
import { addUsage, memberOf, optionalString, stringIn, type Usage } from "../reading.js";
import {
  fileIn,
  framework,
  generatedImage,
  itemOf,
  type ModelFile,
  textIn,
  toolCallIn,
} from "./items.js";
import { savePoint, SavePoints, withSavePoints } from "./save-points.js";
import { type OpenAiState, withFiles, withoutFiles } from "./state.js";

/** The members of a run that the bridge uses. */
interface OpenAiRun extends AsyncIterable<unknown> {
  readonly completed: Promise<void>;
  readonly currentAgent: unknown;
  readonly interruptions: readonly unknown[];
  readonly finalOutput: unknown;
  readonly history: AgentInputItem[];
  readonly state: { readonly usage: unknown; toString(): string };
}

type Saved<Context, Output extends AgentOutputType> = RunState<Context, Agent<Context, Output>>;

/** A turn of an agent of the OpenAI Agents SDK. */
export class OpenAiTurn<Context, Output extends AgentOutputType, User> {
  readonly #agent: Agent<Context, Output>;
  readonly #runner: Runner;
  readonly #turn: Turn<User, OpenAiState>;
  readonly #options: OpenAiOptions<Context, User>;
  readonly #answer: AnswerText;
  /** Messages of the user in this task. */
  readonly #messages: Message[];
  readonly #reference: string;
  readonly #further: FurtherMessages;
  readonly #points: SavePoints;
  /** Stops a run whose turn has failed, so that it calls no further tools. */
  readonly #failed = new AbortController();
  /** Number of messages that the run has read. */
  #read: number;
  #files: number;
  /** Usage of the runs that have ended. */
  #usage: Usage;
  #context: Context | undefined;
  #responses = 0;
  /** The response whose text has arrived in chunks. */
  #streamed: number | undefined;
  #isLastFromTool = false;

  constructor(
    agent: Agent<Context, Output>,
    runner: Runner,
    turn: Turn<User, OpenAiState>,
    options: OpenAiOptions<Context, User>,
  ) {
    const { state, task } = turn;
    this.#agent = agent;
    this.#runner = runner;
    this.#turn = turn;
    this.#options = options;
    this.#answer = new AnswerText(turn, options, state?.text);
    this.#messages = (task.history ?? []).filter(({ role }) => role === Role.User);
    this.#further = new FurtherMessages(turn, state?.later);
    this.#reference = state?.reference ?? crypto.randomUUID();
    this.#read = state?.read ?? 0;
    this.#files = state?.files ?? 0;
    this.#usage = state?.usage ?? {};
    this.#points = new SavePoints(state?.open === true ? 0 : 1);
  }

  async *run(): AsyncGenerator<Update, End<OpenAiState>, undefined> {
    try {
      yield* this.#answer.restored();
      this.#context = await this.#options.context?.(this.#turn);
      let input = await this.#input();
      for (;;) {
        const result = await this.#start(input);
        yield* this.#updates(result);
        this.#usage = this.#usageWith(result);
        if (result.interruptions.length > 0) return this.#ask(result);
        yield* this.#finalOutput(result.finalOutput);
        const message = this.#next();
        if (message === undefined) return completed(undefined, { metadata: this.#metadata() });
        input = [...result.history, await this.#item(utteranceOf(message))];
      }
    } catch (error) {
      this.#failed.abort();
      const isRefused =
        error instanceof InputGuardrailTripwireTriggered ||
        error instanceof OutputGuardrailTripwireTriggered;
      if (!isRefused) throw error;
      return rejected("The agent does not answer this message.", { metadata: this.#metadata() });
    }
  }

  /** Returns the whole conversation, or the run to continue. */
  async #input(): Promise<AgentInputItem[] | Saved<Context, Output>> {
    const { state } = this.#turn;
    if (state !== undefined) return this.#restore(state);
    const items: AgentInputItem[] = [];
    const earlier = await earlierUtterances(this.#turn, this.#options.memory ?? 20);
    for (const utterance of [...earlier, ...this.#messages.map(utteranceOf)])
      items.push(await this.#item(utterance));
    this.#read = this.#messages.length;
    return items;
  }

  async #restore(state: OpenAiState): Promise<Saved<Context, Output>> {
    const text = withFiles(state.run, this.#messages, state.reference);
    const run = await RunState.fromStringWithContext<Context, Agent<Context, Output>>(
      this.#agent,
      text,
      new RunContext(this.#context),
    );
    if (!state.open) return run;
    this.#read += 1;
    const { approves } = this.#options;
    const message = this.#further.answer(approves);
    if (message === undefined) return run;
    for (const item of run.getInterruptions()) {
      const { toolCallId } = toolCallIn(item);
      const decision = decisionIn(message, [toolCallId], approves);
      // The run asks again for decisions that the message does not contain.
      if (decision === undefined) continue;
      const { approved, reason } = decision;
      if (approved) run.approve(item);
      else run.reject(item, reason === undefined ? {} : { message: denialOf(reason) });
    }
    return run;
  }

  async #start(input: AgentInputItem[] | Saved<Context, Output>): Promise<OpenAiRun> {
    const { maxTurns } = this.#options;
    const signal = AbortSignal.any([this.#turn.signal, this.#failed.signal]);
    const { callModelInputFilter: filter } = this.#runner.config;
    const result = await this.#runner.run(this.#agent, input, {
      stream: true,
      signal,
      // Each run counts its own usage.
      context: new RunContext(this.#context),
      // The run calls this function, and waits for it, after the tools of a step have ended.
      callModelInputFilter: async (call) => {
        await this.#points.reach();
        return filter === undefined ? call.modelData : filter(call);
      },
      ...(maxTurns !== undefined && { maxTurns }),
    });
    // If the turn ends early, it no longer awaits this promise.
    result.completed.catch(() => undefined);
    return result;
  }

  /** Returns the next message of the user that no run has read. */
  #next(): Message | undefined {
    // Before a crash, a turn may have taken messages that its saved run has not read.
    const message = this.#messages[this.#read] ?? this.#further.take();
    if (message === undefined) return undefined;
    const position = this.#messages.indexOf(message);
    if (position < 0) this.#messages.push(message);
    if (position < 0 || position === this.#read) this.#read += 1;
    return message;
  }

  async *#updates(result: OpenAiRun): AsyncGenerator<Update, void, undefined> {
    const events = abortable(result, this.#turn.signal);
    for await (const event of withSavePoints(events, this.#points)) {
      if (event === savePoint) {
        await this.#turn.checkpoint(this.#state(result, this.#usageWith(result), false));
        continue;
      }
      const type = stringIn(event, "type", framework);
      if (type === "raw_model_stream_event")
        yield* this.#streamEvent(memberOf(event, "data"), isText(result.currentAgent));
      if (type !== "run_item_stream_event") continue;
      const name = stringIn(event, "name", framework);
      yield* this.#itemUpdates(name, memberOf(event, "item"), isText(result.currentAgent));
    }
    await result.completed;
  }

  *#streamEvent(data: unknown, showsText: boolean): Generator<Update> {
    const type = stringIn(data, "type", framework);
    if (type === "response_done") this.#responses += 1;
    if (type !== "output_text_delta") return;
    const delta = stringIn(data, "delta", framework);
    this.#streamed = this.#responses;
    if (showsText) yield* this.#answer.text(delta, this.#responses);
  }

  *#itemUpdates(name: string, item: unknown, showsText: boolean): Generator<Update> {
    const { tools } = this.#options;
    const raw = memberOf(item, "rawItem");
    this.#isLastFromTool = name === "tool_output";
    switch (name) {
      case "tool_called":
      case "handoff_requested":
        yield* toolUpdates({ type: "tool-call", ...toolCallIn(item) }, tools);
        yield* this.#fileUpdates(generatedImage(raw));
        break;
      case "tool_output": {
        const { toolName, toolCallId } = toolCallIn(item);
        const output = memberOf(item, "output");
        yield* toolUpdates({ type: "tool-result", toolName, toolCallId, output }, tools);
        break;
      }
      case "reasoning_item_created":
        for (const content of contentsOf(raw, "content", "rawContent"))
          yield* this.#answer.reasoning(textIn(content));
        break;
      case "message_output_created":
        for (const content of contentsOf(raw, "content")) {
          // Some models do not stream, and no model streams a refusal.
          const hasArrived =
            this.#streamed === this.#responses - 1 &&
            optionalString(content, "type") === "output_text";
          if (showsText && !hasArrived) yield* this.#answer.text(textIn(content), content);
          yield* this.#fileUpdates(fileIn(content));
        }
    }
  }

  *#fileUpdates(files: readonly ModelFile[]): Generator<Update> {
    for (const file of files) {
      this.#files += 1;
      yield fileArtifact(file, this.#files);
    }
  }

  /** Yields an output that is data, and the output of a tool that has ended the run. */
  *#finalOutput(output: unknown): Generator<Update> {
    if (typeof output === "string") {
      if (this.#isLastFromTool) yield* this.#answer.text(output, this);
    } else if (output !== undefined)
      yield artifact("object").finish([{ data: json<unknown>(output) }]);
  }

  #ask(result: OpenAiRun): End<OpenAiState> {
    const questions = result.interruptions.map((item) => {
      const { input, toolName, toolCallId } = toolCallIn(item);
      return approvalQuestion(toolName, input, { toolCallId, toolName });
    });
    const state = this.#state(result, this.#usage, true);
    return inputRequired(questionParts(questions), { state, metadata: this.#metadata() });
  }

  #state({ state }: OpenAiRun, usage: Usage, open: boolean): OpenAiState {
    const reference = this.#reference;
    const run = withoutFiles(state.toString(), this.#messages, reference);
    const progress = { read: this.#read, text: this.#answer.written, files: this.#files };
    return { run, reference, open, usage, ...progress, ...this.#further.later };
  }

  /** Returns the usage of all runs, including a run that has not ended. */
  #usageWith({ state }: OpenAiRun): Usage {
    return addUsage(this.#usage, state.usage);
  }

  #metadata(): JsonObject {
    return json<object>({ openAiAgents: { usage: this.#usage } });
  }

  async #item(utterance: Utterance): Promise<AgentInputItem> {
    return itemOf(await withFetchedFiles(utterance, this.#options, this.#turn.signal));
  }
}

/** Returns whether the final output of an agent is text. The text of other agents is JSON. */
function isText(agent: unknown): boolean {
  const outputType = memberOf(agent, "outputType");
  return outputType === undefined || outputType === "text";
}

function contentsOf(raw: unknown, ...keys: readonly string[]): unknown[] {
  return keys.flatMap((key) => {
    const contents = memberOf(raw, key);
    return Array.isArray(contents) ? (contents as unknown[]) : [];
  });
}
