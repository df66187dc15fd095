import type { Part } from "../agents/index.js";
import { openAgent, type Run } from "./agent.js";
import { chatInput, type ChatInput } from "./chat-input.js";
import { Conversation } from "./conversation.js";
import { callFacts } from "./credentials.js";
import { failureOf, Interrupted, usage } from "./errors.js";
import { partsOf } from "./parts.js";
import { savedConversation } from "./send.js";

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
  const saved = await savedConversation(run);
  const agent = await openAgent(run, undefined, saved?.interceptors);
  const conversation = new Conversation(agent, run);
  const chat = new TerminalChat(conversation, run);
  const input = chatInput(environment, () => chat.interrupt());
  try {
    if (input.isTerminal) await chat.take(input);
    else
      for await (const line of input.lines)
        if (line.trim() !== "") await conversation.say([{ text: line }]);
    environment.signal.throwIfAborted();
  } finally {
    input.close();
    await conversation.close();
    saved?.write(agent);
  }
}

/** Commands of a chat on a terminal, with their descriptions. */
const commands = {
  "/file PATH": "attach a file or a URL to the next message",
  "/data PATH": "attach a JSON file to the next message",
  "/cancel": "cancel the task, also while the agent responds",
  "/new": "start a new context",
  "/task": "print the ids of the task and the context",
  "/quit": "end the chat, as Ctrl-D does",
} as const;

/** A line that begins with one slash. A second slash is an escape. */
const command = /^\/(?!\/)/;

/** Commands that apply to the next message, and therefore wait like messages. */
const forNextMessage = /^\/(?:file|data|new)\b/;

/**
 * The lines of a user on a terminal. While the agent responds, most commands act at once, and other
 * lines wait until the response has ended.
 */
class TerminalChat {
  readonly #conversation: Conversation;
  readonly #run: Run;
  #attached: Part[] = [];
  #waiting: string[] = [];
  /** Settles when no line waits; `undefined` if the chat is at its prompt. */
  #working: Promise<void> | undefined;
  /** Whether a command acts, after which the chat returns to its prompt. */
  #isActing = false;

  constructor(conversation: Conversation, run: Run) {
    this.#conversation = conversation;
    this.#run = run;
  }

  /** Takes the lines until the user ends the chat. */
  async take(input: ChatInput): Promise<void> {
    this.#conversation.greet();
    input.prompt(this.#prompt);
    for await (const line of input.lines) {
      this.#run.output.lineEntered();
      if (!command.test(line) || forNextMessage.test(line)) this.#add(line, input);
      else if (/^\/(?:quit|exit)\b/.test(line)) {
        this.#stop();
        break;
      } else {
        this.#isActing = true;
        await this.#reporting(() => this.#act(line.trim()));
        this.#isActing = false;
        if (this.#working === undefined) input.prompt(this.#prompt);
      }
    }
    await this.#working;
  }

  /** Stops waiting for a response. If no response is pending, ends the command. */
  interrupt(): void {
    if (!this.#stop()) process.kill(process.pid, "SIGINT");
  }

  get #prompt(): string {
    const files = this.#attached.length === 0 ? "" : `(${this.#attached.length} attached) `;
    return `${files}${this.#conversation.isReply ? "reply " : ""}> `;
  }

  /** Processes a line, once the lines before it have been processed. */
  #add(line: string, input: ChatInput): void {
    // An empty line only sends attached files.
    const isUseless = line.trim() === "" && !this.#waiting.some((one) => forNextMessage.test(one));
    if (this.#working !== undefined && isUseless) return;
    this.#waiting.push(line);
    if (this.#working !== undefined) {
      const { length } = this.#waiting;
      const subject = length === 1 ? "This line waits" : `${length} lines wait`;
      return this.#run.output.note(`${subject} for the end of the response`);
    }
    this.#working = this.#work(input);
    // Ends the loop over the lines, which then throws the error.
    this.#working.catch(() => input.close());
  }

  /** Processes the lines that wait, and returns to the prompt. */
  async #work(input: ChatInput): Promise<void> {
    for (let isTyped = true; this.#waiting.length > 0; isTyped = false) {
      const [line = "", ...rest] = this.#waiting;
      this.#waiting = rest;
      // The user has typed a line that waited before the response.
      if (!isTyped) this.#run.output.note(`${this.#prompt}${line}`);
      await this.#reporting(() => (command.test(line) ? this.#act(line.trim()) : this.#say(line)));
    }
    this.#working = undefined;
    if (!this.#isActing) input.prompt(this.#prompt);
  }

  async #say(line: string): Promise<void> {
    const text = line.replace(/^\/\//, "/");
    const parts = [...(text.trim() === "" ? [] : [{ text }]), ...this.#attached];
    if (parts.length === 0) return;
    await this.#conversation.say(parts).catch((error: unknown) => {
      // The agent has received the files of an interrupted message.
      if (error instanceof Interrupted) this.#attached = [];
      throw error;
    });
    this.#attached = [];
  }

  async #act(line: string): Promise<void> {
    const { output, environment } = this.#run;
    const [, name = "", argument = ""] = /^(\/\w*)\s*(.*)$/.exec(line) ?? [];
    if (name === "/cancel") {
      this.#drop();
      await this.#conversation.cancel();
    } else if (name === "/new") this.#conversation.restart();
    else if (name === "/task") await this.#conversation.printIdentifiers();
    else if ((name === "/file" || name === "/data") && argument !== "")
      this.#attached.push(
        ...(await partsOf([{ name: name.slice(1), value: argument }], [], environment.cwd)),
      );
    else {
      for (const [form, description] of Object.entries(commands))
        output.note(`${form.padEnd(12)}${description}`);
      output.note("Lines that you enter while the agent responds are sent after the response.");
    }
  }

  /** Runs an action, and prints its error. Throws the error if it ends the command. */
  async #reporting(action: () => Promise<void>): Promise<void> {
    const { settings, environment, output, signal } = this.#run;
    try {
      await action();
    } catch (error) {
      if (signal.aborted) throw error;
      if (!(error instanceof Interrupted))
        await output.failure(failureOf(error, callFacts(settings, environment)));
    }
  }

  /** Stops waiting for a response. Returns whether a response was pending. */
  #stop(): boolean {
    this.#drop();
    return this.#conversation.interrupt();
  }

  /** Drops the lines that wait, because the user has stopped the response that they refer to. */
  #drop(): void {
    for (const line of this.#waiting) this.#run.output.note(`Not sent: ${line}`);
    this.#waiting = [];
  }
}
