import {
  isInterrupted,
  shellWord,
  type Part,
  type SendMessageResponse,
  type StreamResponse,
  type Task,
} from "../agents/index.js";
import { openAgent, type Agent, type Run } from "./agent.js";
import { chatInput } from "./chat-input.js";
import { ChatView } from "./chat-view.js";
import { callFacts } from "./credentials.js";
import { failureOf, Interrupted, usage } from "./errors.js";
import { follow } from "./follow.js";
import { partsOf } from "./parts.js";
import { Renderer, stateOf } from "./render.js";
import { withTimeLimit } from "../agents/time-limit.js";
import { identifiers, printResult } from "./send.js";

/**
 * Runs `a2a chat`: sends each line of standard input as a message. All messages belong to one
 * context, and a message to a task that waits continues the task.
 */
export async function chatCommand(run: Run): Promise<void> {
  const { settings, output, environment } = run;
  if (output.isJson && !output.isStream)
    throw usage(
      "chat prints several documents",
      "Add --stream, which prints one document per line",
    );
  for (const name of ["bearer", "api-key", "oauth-client-secret"])
    if (settings.text(name) === "-")
      throw usage(`--${name} - reads the messages of the chat`, "Use env:NAME or @FILE");
  const agent = await openAgent(run);
  const chat = new Chat(agent, run);
  const input = chatInput(environment, () => chat.interrupt());
  chat.isTerminal = input.isTerminal;
  try {
    chat.greet();
    input.prompt(chat.prompt);
    for await (const line of input.lines) {
      if (!(await chat.take(line))) break;
      input.prompt(chat.prompt);
    }
    environment.signal.throwIfAborted();
  } finally {
    input.close();
    await chat.close();
  }
}

/** Commands of a chat on a terminal, with their descriptions. */
const commands = {
  "/file PATH": "attach a file or a URL to the next message",
  "/data PATH": "attach a JSON file to the next message",
  "/cancel": "cancel the task",
  "/new": "start a new context",
  "/task": "print the ids of the task and the context",
  "/quit": "end the chat, as Ctrl-D does",
} as const;

/** A conversation with an agent. */
class Chat {
  /** Whether a user types the lines. If so, lines that begin with `/` are commands. */
  isTerminal = false;
  readonly #agent: Agent;
  readonly #run: Run;
  readonly #renderer: Renderer;
  /** Prints responses to a terminal; `undefined` if the output is read by a program. */
  readonly #view: ChatView | undefined;
  #contextId: string | undefined;
  #task: Task | undefined;
  /** Task that the next message belongs to. */
  #taskId: string | undefined;
  #attached: Part[] = [];
  #turn: AbortController | undefined;

  constructor(agent: Agent, run: Run) {
    const { output, settings } = run;
    this.#agent = agent;
    this.#run = run;
    this.#renderer = new Renderer(output, settings);
    const isForUser = process.stdout.isTTY && !output.isJson;
    this.#view = isForUser ? new ChatView(output, this.#renderer) : undefined;
    ({ taskId: this.#taskId, contextId: this.#contextId } = identifiers(run));
  }

  get prompt(): string {
    const files = this.#attached.length === 0 ? "" : `(${this.#attached.length} attached) `;
    const reply = this.#taskId === undefined ? "" : "reply ";
    return `${files}${reply}> `;
  }

  /** Prints the name of the agent for a user. */
  greet(): void {
    if (!this.isTerminal) return;
    const { report, target } = this.#agent;
    const name = report.card?.name ?? target.url;
    this.#run.output.note(
      `Chat with ${name} over ${target.binding} ${target.version}. /help lists the commands.`,
    );
  }

  /** Stops waiting for a response. If no response is pending, ends the command. */
  interrupt(): void {
    if (this.#turn === undefined) process.kill(process.pid, "SIGINT");
    else this.#turn.abort(new Interrupted());
  }

  /** Takes a line: a message, or a command on a terminal. Returns whether the chat continues. */
  async take(line: string): Promise<boolean> {
    if (!this.isTerminal) {
      if (line.trim() !== "") await this.#say(line);
      return true;
    }
    try {
      // A second slash is an escape: the message begins with one slash.
      if (/^\/(?!\/)/.test(line)) return await this.#command(line.trim());
      if (line.trim() !== "" || this.#attached.length > 0)
        await this.#say(line.replace(/^\/\//, "/"));
    } catch (error) {
      if (this.#run.signal.aborted) throw error;
      if (!(error instanceof Interrupted)) {
        const { settings, environment } = this.#run;
        await this.#run.output.failure(failureOf(error, callFacts(settings, environment)));
      }
    }
    return true;
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

  async #command(line: string): Promise<boolean> {
    const { output, environment } = this.#run;
    const [, name = "", argument = ""] = /^(\/\w*)\s*(.*)$/.exec(line) ?? [];
    if (name === "/quit" || name === "/exit") return false;
    if (name === "/cancel") await this.#cancel();
    else if (name === "/new")
      [this.#contextId, this.#taskId, this.#task] = [undefined, undefined, undefined];
    else if (name === "/task") await this.#printIdentifiers();
    else if ((name === "/file" || name === "/data") && argument !== "")
      this.#attached.push(
        ...(await partsOf([{ name: name.slice(1), value: argument }], [], environment.cwd)),
      );
    else
      for (const [command, description] of Object.entries(commands))
        output.note(`${command.padEnd(12)}${description}`);
    return true;
  }

  async #printIdentifiers(): Promise<void> {
    const { output, signal } = this.#run;
    const id = this.#taskId ?? this.#task?.id;
    if (id === undefined) return output.field("Context", this.#contextId ?? "none");
    await this.#renderer.identifiers(
      await this.#agent.client.getTask({ id, historyLength: 0 }, { signal }),
    );
  }

  async #cancel(): Promise<void> {
    const { output, signal } = this.#run;
    const id = this.#taskId ?? this.#task?.id;
    if (id === undefined) return output.note("The chat has not created a task yet");
    const task = await this.#agent.client.cancelTask({ id }, { signal });
    this.#remember({ task });
    await output.field("State", stateOf(task));
  }

  async #say(text: string): Promise<void> {
    const { settings, output, signal } = this.#run;
    const parts = [...(text === "" ? [] : [{ text }]), ...this.#attached];
    const message = {
      messageId: crypto.randomUUID(),
      role: "ROLE_USER" as const,
      parts,
      ...this.#identifiers(),
    };
    this.#turn = new AbortController();
    const limited = withTimeLimit(settings.duration("timeout"), signal, this.#turn.signal);
    const turn = { ...this.#run, signal: limited };
    const view = this.#view;
    const waiting = setTimeout(() => this.#noteWaiting(), 1_000);
    try {
      const show = view && ((event: StreamResponse) => this.#show(event, view));
      const result = await follow(this.#agent.client, { message }, turn, show);
      this.#attached = [];
      this.#remember(result);
      if (view === undefined) await printResult(result, turn);
      else await view.end(result);
    } finally {
      clearTimeout(waiting);
      this.#turn = undefined;
      await output.close();
    }
  }

  /**
   * Prints a note that the agent is working on the task, unless the response has already printed
   * something.
   */
  #noteWaiting(): void {
    if (this.#view?.isSilent !== true || this.#task === undefined) return;
    this.#run.output.note(`Waiting for task ${this.#task.id}. Ctrl-C stops waiting.`);
  }

  #show(event: StreamResponse, view: ChatView): Promise<void> {
    // After an interruption, the user can cancel the task, or send the next message to its context.
    if (event.task !== undefined) this.#task = event.task;
    this.#contextId = event.task?.contextId ?? this.#contextId;
    return view.event(event);
  }

  #identifiers(): { readonly contextId?: string; readonly taskId?: string } {
    return {
      ...(this.#contextId !== undefined && { contextId: this.#contextId }),
      ...(this.#taskId !== undefined && { taskId: this.#taskId }),
    };
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
