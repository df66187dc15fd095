import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { isObject, type Json } from "../json.js";

/**
 * A program with an SDK of another language, controlled by lines of JSON. - A request to the
 * program has an `id` and `do`: `listen` opens ports and returns their URLs, `serve` starts an
 * agent with a card on them, `connect` finds an agent, `call` and `stream` call it, and `leave`
 * ends a stream. - The program writes `result` with the id of the request, or `refused` with the
 * class and the `text` of an error. It writes each event of a stream before that as an `event`. -
 * The program sends questions with a number as `ask`: it reports requests of clients with `asked`,
 * and requests the steps of its agent for a `message` or a task to `cancel`. Each reply has this
 * number as `answer`: any number of `act`, which are events to send, and then `done`.
 */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
}

/** Says what a question is answered with, part by part. */
export type Answering = (question: Json) => AsyncIterable<Json>;

interface Waiting {
  readonly event: (event: unknown) => void;
  readonly end: (message: Json) => void;
  readonly fail: (error: Error) => void;
}

/** An error that the SDK has thrown, with the name of its class. */
class RefusedError extends Error {
  constructor(name: string, text: string) {
    super(text);
    this.name = name;
  }
}

/** A program that runs. */
export class Peer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #answering: Answering | undefined;
  #requests = 0;
  #printed = "";

  constructor({ program, args, folder }: Command, answering?: Answering) {
    this.#answering = answering;
    const child = spawn(program, args, { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    child.stderr
      .setEncoding("utf8")
      .on("data", (text: string) => (this.#printed = (this.#printed + text).slice(-5000)));
    createInterface({ input: child.stdout }).on("line", (line) => this.#read(line));
    const ended = (why: string) => {
      const error = new Error(`${program} ${why}: ${this.#printed}`);
      for (const { fail } of this.#waiting.values()) fail(error);
    };
    child.once("error", ({ message }) => ended(message));
    child.once("exit", (code) => ended(`ended with ${String(code)}`));
    child.stdin.on("error", () => undefined);
  }

  /** Id of the process. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /**
   * Makes a request, and gives the whole message that ends it. Rejects with what the program
   * refuses it with.
   */
  async request(what: string, more: Json = {}): Promise<Json> {
    const events = this.requestStream(what, more);
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) return value;
    }
  }

  /**
   * Makes a request that has events, and returns the message that ends it. Leaving the loop ends
   * the stream.
   */
  async *requestStream(what: string, more: Json = {}): AsyncGenerator<unknown, Json> {
    const id = (this.#requests += 1);
    const queue: unknown[] = [];
    let wake = (): void => undefined;
    let end: Json | undefined;
    let failure: Error | undefined;
    this.#waiting.set(id, {
      event: (event) => (queue.push(event), wake()),
      end: (message) => ((end = message), wake()),
      fail: (error) => ((failure = error), wake()),
    });
    this.#write({ id, do: what, ...more });
    try {
      for (;;) {
        while (queue.length > 0) yield queue.shift();
        if (failure !== undefined) throw failure;
        if (end !== undefined) return end;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#waiting.delete(id);
      if (end === undefined && failure === undefined) this.#write({ do: "leave", of: id });
    }
  }

  /** Ends the program. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    if (this.#child.kill()) await ended;
  }

  #write(line: Json): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  #read(line: string): void {
    const message: unknown = JSON.parse(line);
    if (!isObject(message)) throw new Error(`The program writes ${line}`);
    if (message["ask"] !== undefined) {
      void this.#answer(message);
      return;
    }
    const waiting = this.#waiting.get(Number(message["id"]));
    if ("event" in message) waiting?.event(message["event"]);
    else if ("refused" in message)
      waiting?.fail(new RefusedError(String(message["refused"]), String(message["text"])));
    else waiting?.end(message);
  }

  async #answer(question: Json): Promise<void> {
    const answer = question["ask"];
    for await (const part of this.#answering?.(question) ?? []) this.#write({ answer, ...part });
    this.#write({ answer, done: true });
  }
}
