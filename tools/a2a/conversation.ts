import {
  isInterrupted,
  isTerminal,
  shellWord,
  type Part,
  type SendMessageResponse,
  type StreamResponse,
  type Task,
} from "../agents/index.js";
import { withTimeLimit } from "../agents/time-limit.js";
import type { Agent, Run } from "./agent.js";
import { ChatView } from "./chat-view.js";
import { callFacts } from "./credentials.js";
import { Canceled, failureOf, Interrupted } from "./errors.js";
import { follow } from "./follow.js";
import { Renderer, stateOf } from "./render.js";
import { identifiers, printResult } from "./send.js";

/** A message whose response is pending. */
interface Turn {
  readonly controller: AbortController;
  /** The task of the response; `undefined` until the agent names it. */
  taskId: string | undefined;
  /** Whether to cancel the task as soon as the agent names it. */
  cancels: boolean;
}

/** A conversation with an agent. All messages belong to one context. */
export class Conversation {
  readonly #agent: Agent;
  readonly #run: Run;
  readonly #renderer: Renderer;
  /** Prints responses to a terminal; `undefined` if the output is read by a program. */
  readonly #view: ChatView | undefined;
  #contextId: string | undefined;
  #task: Task | undefined;
  /** Task that the next message belongs to. */
  #taskId: string | undefined;
  #turn: Turn | undefined;

  constructor(agent: Agent, run: Run) {
    const { output, settings } = run;
    this.#agent = agent;
    this.#run = run;
    this.#renderer = new Renderer(output, settings);
    const isForUser = process.stdout.isTTY && !output.isJson;
    this.#view = isForUser ? new ChatView(output, this.#renderer) : undefined;
    ({ taskId: this.#taskId, contextId: this.#contextId } = identifiers(run));
  }

  /** Whether the next message answers the question of a task. */
  get isReply(): boolean {
    return this.#taskId !== undefined;
  }

  /** Prints the name of the agent. */
  greet(): void {
    const { report, target } = this.#agent;
    const name = report.card?.name ?? target.url;
    this.#run.output.note(
      `Chat with ${name} over ${target.binding} ${target.version}. /help lists the commands.`,
    );
  }

  /** Sends a message, and prints the response. */
  async say(parts: Part[]): Promise<void> {
    const { settings, output, signal } = this.#run;
    const message = {
      messageId: crypto.randomUUID(),
      role: "ROLE_USER" as const,
      parts,
      ...(this.#contextId !== undefined && { contextId: this.#contextId }),
      ...(this.#taskId !== undefined && { taskId: this.#taskId }),
    };
    const turn: Turn = {
      controller: new AbortController(),
      taskId: this.#taskId,
      cancels: false,
    };
    this.#turn = turn;
    const stop = turn.controller.signal;
    const limited = withTimeLimit(settings.duration("timeout"), signal, stop);
    const run = { ...this.#run, signal: limited };
    const view = this.#view;
    const waiting = setTimeout(() => this.#noteWaiting(), 1_000);
    try {
      const observer = {
        show: view && ((event: StreamResponse) => view.event(event)),
        onTask: (task: Task) => this.#taskChanged(task, turn),
      };
      let result: SendMessageResponse;
      try {
        result = await follow(this.#agent.client, { message }, run, observer);
      } catch (error) {
        if (!(stop.reason instanceof Canceled)) throw error;
        result = { task: stop.reason.task };
        await view?.event(result);
      }
      this.#remember(result);
      if (view === undefined) await printResult(result, run);
      else await view.end(result);
    } finally {
      clearTimeout(waiting);
      this.#turn = undefined;
      await output.close();
    }
  }

  /** Stops waiting for a response. Returns whether a response was pending. */
  interrupt(): boolean {
    this.#turn?.controller.abort(new Interrupted());
    return this.#turn !== undefined;
  }

  /** Cancels the task of the pending response, or else the last task. */
  async cancel(): Promise<void> {
    const { output } = this.#run;
    const turn = this.#turn;
    const id = turn === undefined ? (this.#taskId ?? this.#task?.id) : turn.taskId;
    if (id !== undefined) return await this.#cancelTask(id, turn);
    output.note(
      turn === undefined
        ? "The chat has not created a task yet"
        : "The task is canceled as soon as the agent has created it. Ctrl-C stops waiting.",
    );
    if (turn !== undefined) turn.cancels = true;
  }

  /** Prints the identifiers of the task and the context. */
  async printIdentifiers(): Promise<void> {
    const { output, signal } = this.#run;
    const id = this.#turn?.taskId ?? this.#taskId ?? this.#task?.id;
    if (id === undefined) return output.field("Context", this.#contextId ?? "none");
    await this.#renderer.identifiers(
      await this.#agent.client.getTask({ id, historyLength: 0 }, { signal }),
    );
  }

  /** Starts a new context. */
  restart(): void {
    [this.#contextId, this.#taskId, this.#task] = [undefined, undefined, undefined];
  }

  /** Prints how to continue the conversation, and closes the connection. */
  async close(): Promise<void> {
    this.#agent.client.close();
    const { output, settings } = this.#run;
    if (this.#contextId === undefined || this.#view === undefined) return;
    const task = this.#taskId === undefined ? [] : [`--task-id ${shellWord(this.#taskId)}`];
    const options = [
      `-a ${shellWord(settings.text("agent-card") ?? "")}`,
      ...this.#renderer.repeatedOptions(),
      ...task,
    ];
    await output.field(
      "Resume",
      `${output.program} chat ${options.join(" ")} --context-id ${shellWord(this.#contextId)}`,
    );
  }

  async #cancelTask(id: string, turn: Turn | undefined): Promise<void> {
    const { output, signal } = this.#run;
    const task = await this.#agent.client.cancelTask({ id }, { signal });
    if (turn === undefined) this.#remember({ task });
    // The response may have ended first, and has then printed the state.
    else if (turn !== this.#turn) return;
    // Some agents do not end the stream of a canceled task.
    else if (isTerminal(task.status.state)) return turn.controller.abort(new Canceled(task));
    await output.field("State", stateOf(task));
  }

  #taskChanged(task: Task, turn: Turn): void {
    // After an interruption, the user can cancel the task, or send the next message to its context.
    this.#remember({ task });
    turn.taskId = task.id;
    if (!turn.cancels) return;
    turn.cancels = false;
    const { output, settings, environment, signal } = this.#run;
    this.#cancelTask(task.id, turn).catch(async (error: unknown) => {
      // The task continues, and so does its response.
      if (!signal.aborted) await output.failure(failureOf(error, callFacts(settings, environment)));
    });
  }

  /**
   * Prints a note that the agent is working on the task, unless the response has already printed
   * something.
   */
  #noteWaiting(): void {
    if (this.#view?.isSilent !== true || this.#turn?.taskId === undefined) return;
    this.#run.output.note(
      `Waiting for task ${this.#turn.taskId}. /cancel cancels it, and Ctrl-C stops waiting.`,
    );
  }

  /**
   * Keeps the identifiers for the next message. A task only accepts further messages while it
   * waits.
   */
  #remember({ task, message }: SendMessageResponse): void {
    this.#contextId = task?.contextId ?? message?.contextId ?? this.#contextId;
    this.#task = task;
    this.#taskId = task !== undefined && isInterrupted(task.status.state) ? task.id : undefined;
  }
}
