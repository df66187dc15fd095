import { Command } from "@langchain/langgraph";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Content, End, Update } from "../../kit/turns/updates.js";
import { canceled, completed, inputRequired, textOf } from "../../kit/turns/updates.js";
import { artifact } from "../../kit/turns/artifact.js";
import { json } from "../../kit/turns/json.js";
import type { Turn } from "../../kit/turns/turn.js";
import type { Message } from "../../kit/model.js";
import { AnswerText, type ServingOptions } from "../answer.js";
import { earlierUtterances, type Utterance, utteranceOf } from "../conversation.js";
import { withFetchedFiles } from "../fetch-file.js";
import { FurtherMessages } from "../further-messages.js";
import { decisionIn, questionParts } from "../questions.js";
import type { Usage } from "../reading.js";
import { checkData } from "./check-data.js";
import { messageOf, messagesIn } from "./content.js";
import { GraphEvents } from "./events.js";
import {
  answersIn,
  breakpointId,
  breakpointQuestion,
  type Interrupt,
  interruptsIn,
  questionOf,
} from "./questions.js";
import { independent, Reading } from "./reading.js";
import { checkpointsKey, isKitSaver, type SavedCheckpoints, TurnCheckpoints } from "./saver.js";
import { Texts } from "./texts.js";

/** The members of a compiled graph that the bridge uses. */
export interface Graph {
  readonly checkpointer?: unknown;
  readonly outputChannels?: unknown;
  stream(input: unknown, options?: object): Promise<AsyncIterable<unknown>>;
  getState(config: RunnableConfig): Promise<GraphSnapshot>;
}

/** The members of a graph's state that the bridge uses. */
export interface GraphSnapshot {
  readonly next: readonly string[];
  readonly tasks: readonly { readonly interrupts?: unknown; readonly result?: unknown }[];
  /** Absent if the graph has no checkpoint. */
  readonly metadata?: unknown;
}

/** Options of `graphAgent`. */
export interface GraphOptions<User = unknown> extends ServingOptions {
  /**
   * Returns the input of the graph for a message. Default: `{ messages }`, with the earlier tasks
   * of the conversation, and with files as content blocks.
   */
  readonly input?: (message: Message, turn: Turn<User, GraphState>) => unknown;
  /**
   * Returns the result for the caller from the output of the graph, for the artifact `result`.
   * Default: the text that the graph streams; the output as data if it streams no text.
   */
  readonly output?: (values: Readonly<Record<string, unknown>>) => Content;
  /** Nodes whose messages belong to the answer; all by default. */
  readonly nodes?: readonly string[];
  /**
   * Returns options of the graph for a turn, such as `recursionLimit`, `configurable` or
   * `context`. The thread is always the task.
   */
  readonly config?: (turn: Turn<User, GraphState>) => object;
}

/** State of a task whose agent is a graph. */
export interface GraphState {
  /** Text of the answer that the graph does not write again. */
  readonly text: string;
  /** Number of files in the answer. */
  readonly files: number;
  readonly usage?: Usage;
  /** Ids of the questions that the caller answers. */
  readonly open?: readonly string[];
  /** Positions in the history of messages that the graph reads when its questions are answered. */
  readonly later?: readonly number[];
  /** Checkpoints of a graph with `kitSaver`. */
  readonly checkpoints?: SavedCheckpoints;
}

/** A turn of a task, which runs a graph. */
export class GraphTurn<User> {
  readonly #graph: Graph;
  readonly #options: GraphOptions<User>;
  readonly #turn: Turn<User, GraphState>;
  readonly #config: RunnableConfig & Record<string, unknown>;
  readonly #checkpoints: TurnCheckpoints | undefined;
  readonly #reading: Reading;
  readonly #further: FurtherMessages;
  #events: GraphEvents;
  #saving: Promise<void> | undefined;
  #lastSave: Promise<void> = Promise.resolve();

  constructor(graph: Graph, options: GraphOptions<User>, turn: Turn<User, GraphState>) {
    this.#graph = graph;
    this.#options = options;
    this.#turn = turn;
    this.#reading = new Reading(turn.untilAborted);
    this.#further = new FurtherMessages(turn, turn.state?.later);
    if (isKitSaver(graph.checkpointer))
      this.#checkpoints = new TurnCheckpoints(turn.state?.checkpoints, () => this.#save());
    const given: { configurable?: object } = options.config?.(turn) ?? {};
    const checkpoints = this.#checkpoints && { [checkpointsKey]: this.#checkpoints };
    this.#config = {
      ...given,
      configurable: { ...given.configurable, ...checkpoints, thread_id: turn.task.id },
    };
    this.#events = this.#newEvents(turn.state);
  }

  async *run(): AsyncGenerator<Update, End<GraphState>, undefined> {
    let input = await this.#start();
    if (input === declined) return canceled();
    yield* this.#events.texts.again();
    for (;;) {
      if (input instanceof Unanswered) return this.#ask(input.questions);
      if (input === undecided) return this.#askToContinue();
      yield* this.#stream(input);
      const { questions } = this.#events;
      if (questions.length > 0) return this.#ask(questions);
      if (this.#events.isAtBreakpoint) return this.#askToContinue();
      const more = this.#further.take();
      if (more === undefined) break;
      input = await this.#furtherInput(more);
    }
    yield* this.#result();
    return completed(undefined, this.#about());
  }

  #ask(questions: readonly Interrupt[]): End<GraphState> {
    const state = this.#state(questions.map(({ id }) => id));
    return inputRequired(questionParts(questions.map(questionOf)), { state, ...this.#about() });
  }

  async #askToContinue(): Promise<End<GraphState>> {
    const { next } = await this.#snapshot();
    const content = questionParts([breakpointQuestion(next)]);
    return inputRequired(content, { state: this.#state([breakpointId]), ...this.#about() });
  }

  /** Returns the input with which the graph starts or continues. */
  async #start(): Promise<unknown> {
    const { state, resumed } = this.#turn;
    const { approves } = this.#options;
    const open = state?.open;
    const mayHaveRun = this.#hasCheckpoints && (resumed || open !== undefined);
    const snapshot = mayHaveRun ? await this.#snapshot() : undefined;
    const hasRun = snapshot?.metadata !== undefined;
    if (open === undefined) {
      if (hasRun) return null;
      this.#events = this.#newEvents(undefined);
      return this.#first();
    }
    if (!hasRun)
      throw new Error(
        `The checkpoints of task ${this.#turn.task.id}, which waited for an answer, are gone: compile the graph with kitSaver() or with a checkpointer that has a database`,
      );
    if (open.includes(breakpointId)) {
      const reply = this.#further.answer(approves);
      const decision = reply && decisionIn(reply, [breakpointId], approves);
      if (decision === undefined) return undecided;
      return decision.approved ? null : declined;
    }
    // A resumed turn may have passed the answer on already.
    const interrupts = snapshot.tasks
      .filter(({ result }) => result === undefined)
      .flatMap((task) => interruptsIn(task.interrupts))
      .filter(({ id }) => open.includes(id));
    if (interrupts.length === 0) return null;
    const reply = this.#further.answer(approves);
    const resume = reply === undefined ? {} : answersIn(reply, interrupts, this.#options);
    return Object.keys(resume).length > 0 ? new Command({ resume }) : new Unanswered(interrupts);
  }

  async #first(): Promise<unknown> {
    const { message, task } = this.#turn;
    if (this.#options.input !== undefined) return this.#options.input(message, this.#turn);
    const { memory = 20 } = this.#options;
    const earlier = await earlierUtterances(this.#turn, memory);
    const messages = await Promise.all(
      earlier.map(async (each, index) =>
        messageOf(await this.#fetched(each), `${task.id}-${String(index)}`),
      ),
    );
    return { messages: [...messages, await this.#said(message)] };
  }

  /** Returns the input for a message that arrived during the turn. */
  async #furtherInput(message: Message): Promise<unknown> {
    if (this.#options.input !== undefined) return this.#options.input(message, this.#turn);
    const said = await this.#said(message);
    if (this.#hasCheckpoints) return { messages: [said] };
    return { messages: [...messagesIn(this.#events.output["messages"]), said] };
  }

  async #said(message: Message) {
    // The id of the message is the same when a resumed turn begins again.
    return messageOf(await this.#fetched(utteranceOf(message)), message.messageId);
  }

  #fetched(utterance: Utterance): Promise<Utterance> {
    return withFetchedFiles(utterance, this.#options, this.#turn.signal);
  }

  async *#stream(input: unknown): AsyncGenerator<Update> {
    const { signal, untilAborted } = this.#turn;
    const { outputChannels } = this.#graph;
    this.#events.begin();
    checkData(input, this.#hasCheckpoints && this.#checkpoints === undefined);
    const options = {
      ...this.#config,
      signal,
      // The next step begins when the last one is stored.
      durability: "sync",
      streamMode: ["messages", "tasks", "values", "custom"],
      subgraphs: true,
      ...(outputChannels !== undefined && { outputKeys: outputChannels }),
    };
    const stream = await untilAborted(independent(() => this.#graph.stream(input, options)));
    for await (const event of this.#reading.items(stream)) {
      const hasEnded = yield* this.#events.of(event);
      // A checkpointer with a database of its own does not call `#save`.
      if (hasEnded && this.#hasCheckpoints && this.#checkpoints === undefined)
        await this.#turn.checkpoint(this.#state());
    }
    signal.throwIfAborted();
    yield* this.#events.texts.rest();
  }

  *#result(): Generator<Update> {
    const { output: values, texts } = this.#events;
    const { output, nodes } = this.#options;
    if (output !== undefined) {
      yield artifact("result", "text/markdown").finish(output(values));
    } else if (texts.isEmpty) {
      const last = messagesIn(values["messages"]).at(-1);
      if (last?.type === "ai" && nodes === undefined) {
        yield* texts.add("last", [], last.text);
      } else if (last === undefined) {
        yield artifact("result", "application/json").data(json<unknown>(values), { last: true });
      }
    }
  }

  #snapshot(): Promise<GraphSnapshot> {
    return independent(() => this.#graph.getState(this.#config));
  }

  get #hasCheckpoints(): boolean {
    return this.#graph.checkpointer !== undefined && this.#graph.checkpointer !== false;
  }

  #newEvents(state: GraphState | undefined): GraphEvents {
    const { task } = this.#turn;
    const text = state?.text ?? "";
    // Text that the graph writes again is void, so that the artifact begins again.
    const answer = task.artifacts?.find(({ artifactId }) => artifactId === "answer");
    const isVoid = answer !== undefined && textOf(answer) !== text;
    const writer = new AnswerText({ task, resumed: isVoid }, this.#options);
    return new GraphEvents(
      new Texts(writer, text, isVoid),
      { files: state?.files ?? 0, usage: state?.usage },
      this.#options,
    );
  }

  #state(open: readonly string[] | undefined = this.#turn.state?.open): GraphState {
    const { texts, files, usage } = this.#events;
    return {
      text: texts.complete,
      files,
      ...(usage !== undefined && { usage }),
      ...(open !== undefined && { open }),
      ...this.#further.later,
      ...(this.#checkpoints !== undefined && { checkpoints: this.#checkpoints.saved() }),
    };
  }

  #about(): { metadata?: ReturnType<typeof json<object>> } {
    const { usage } = this.#events;
    return usage === undefined ? {} : { metadata: json<object>({ langGraph: { usage } }) };
  }

  /**
   * Saves the state with everything that the graph has streamed so far. Calls that wait at the same
   * time are saved together.
   */
  #save(): Promise<void> {
    if (this.#saving !== undefined) return this.#saving;
    const last = this.#lastSave;
    const saving = (async () => {
      await this.#reading.settled();
      await last;
      this.#saving = undefined;
      if (!this.#reading.isOver) await this.#turn.checkpoint(this.#state());
    })();
    this.#saving = saving;
    this.#lastSave = saving.catch(() => undefined);
    return saving;
  }
}

/** Instead of an input: the message answers none of the questions, so that they are asked again. */
class Unanswered {
  readonly questions: readonly Interrupt[];

  constructor(questions: readonly Interrupt[]) {
    this.questions = questions;
  }
}

/** Instead of an input: the caller does not want the graph to continue. */
const declined = Symbol("declined");

/** Instead of an input: the message does not decide whether the graph continues. */
const undecided = Symbol("undecided");
