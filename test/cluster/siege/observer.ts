import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { callOf, headersOf, messageOf, untilResumed } from "./protocol.js";

/** Observations of a caller: latencies in milliseconds by operation, and errors. */
export interface Observed {
  readonly times: Readonly<Record<string, number[]>>;
  readonly failures: string[];
}

interface Response {
  readonly error?: unknown;
  readonly result?: {
    readonly task?: { readonly id: string };
    readonly status?: { readonly state: string };
  };
}

/** The longest time that a caller waits for a response. */
const patienceMs = 60_000;

/** A caller of the agent who does nothing out of the ordinary. */
export class Observer {
  readonly #urls: readonly string[];
  readonly #hooks = new Map<string, () => void>();
  readonly #receiver = createServer((request, response) => {
    request.resume();
    this.#hooks.get(request.url ?? "")?.();
    response.end();
  });
  #calls = 0;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** Starts to receive webhooks. */
  async start(): Promise<void> {
    await once(this.#receiver.listen(0, "127.0.0.1"), "listening");
  }

  /** Number of webhooks that were not called so far. */
  get missing(): number {
    return this.#hooks.size;
  }

  /** Waits until all webhooks were called, or for some time. */
  async settle(withinMs: number): Promise<void> {
    for (const began = performance.now(); this.missing > 0 && performance.now() - began < withinMs;)
      await pause(50);
  }

  stop(): void {
    this.#receiver.closeAllConnections();
    this.#receiver.close();
  }

  /** Calls the agent in several ways at the same time, until it is told to stop. */
  async observe(isOver: () => boolean): Promise<Observed> {
    const times: Record<string, number[]> = {
      message: [],
      stream: [],
      get: [],
      list: [],
      webhook: [],
    };
    const failures: string[] = [];
    const known: string[] = [];
    const repeat = async (kind: string, run: () => Promise<void>) => {
      while (!isOver()) {
        const began = performance.now();
        try {
          await run();
          times[kind]?.push(performance.now() - began);
        } catch (error) {
          failures.push(`${kind}: ${String(error)}`);
        }
        await pause(20);
      }
    };
    await Promise.all([
      repeat("message", async () => {
        const configuration = this.#webhook((ms) => times["webhook"]?.push(ms));
        const { result } = await this.#call("SendMessage", messageOf("hello", {}, configuration));
        known.push(result?.task?.id ?? "");
      }),
      repeat("stream", () => this.#stream()),
      repeat("get", async () => {
        const id = known.at(-1);
        if (id !== undefined) await this.#call("GetTask", { id });
      }),
      repeat("list", async () => {
        await this.#call("ListTasks", { pageSize: 10 });
      }),
    ]);
    return { times, failures };
  }

  /**
   * Starts tasks at one process that complete when another process resumes them, and returns their
   * ids.
   */
  async begin(url: string, count: number): Promise<readonly string[]> {
    const calls = Array.from({ length: count }, () =>
      this.#call("SendMessage", messageOf(untilResumed, {}, { returnImmediately: true }), url),
    );
    return (await Promise.all(calls)).map(({ result }) => result?.task?.id ?? "");
  }

  /** Waits until a task has completed; returns whether it has within some time. */
  async completes(id: string, withinMs: number): Promise<boolean> {
    for (const began = performance.now(); performance.now() - began < withinMs; await pause(100)) {
      const { result } = await this.#call("GetTask", { id });
      if (result?.status?.state === "TASK_STATE_COMPLETED") return true;
    }
    return false;
  }

  /** Returns a webhook, and calls a function when the agent first calls it. */
  #webhook(called: (afterMs: number) => void): object {
    const path = `/${String((this.#calls += 1))}`;
    const began = performance.now();
    this.#hooks.set(path, () => {
      called(performance.now() - began);
      this.#hooks.delete(path);
    });
    const { port } = this.#receiver.address() as AddressInfo;
    return { taskPushNotificationConfig: { url: `http://127.0.0.1:${String(port)}${path}` } };
  }

  async #stream(): Promise<void> {
    const text = await this.#post("SendStreamingMessage", messageOf("hello"), this.#url());
    if (!text.includes("TASK_STATE_COMPLETED"))
      throw new Error(`The stream has no end: ${text.slice(0, 500)}`);
  }

  async #call(method: string, params: object, url = this.#url()): Promise<Response> {
    const response = JSON.parse(await this.#post(method, params, url)) as Response;
    if (response.error !== undefined) throw new Error(JSON.stringify(response.error).slice(0, 500));
    return response;
  }

  async #post(method: string, params: object, url: string): Promise<string> {
    const init = { method: "POST", headers: headersOf("neighbor"), body: callOf(method, params) };
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
    return response.text();
  }

  #url(): string {
    return this.#urls[(this.#calls += 1) % this.#urls.length] ?? "";
  }
}
