import { untilAborted } from "../turns/until-aborted.js";

/** The open connections of callers to an agent in the same process. */
export class Connections {
  readonly #open = new Set<AbortController>();
  #onOpen: (() => void) | undefined;
  /** Number of chunks that callers have received. */
  #chunks = 0;

  /** Returns a response whose connection can be lost, before it arrives or while it is read. */
  async open(signal: AbortSignal, respond: () => Promise<Response>): Promise<Response> {
    signal.throwIfAborted();
    const controller = new AbortController();
    this.#open.add(controller);
    this.#onOpen?.();
    const close = (): void => void this.#open.delete(controller);
    const ended = AbortSignal.any([signal, controller.signal]);
    try {
      const response = await untilAborted(respond(), ended);
      const { body, status, statusText, headers } = response;
      if (body === null) {
        close();
        return response;
      }
      const counting = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, target) => {
          this.#chunks += 1;
          target.enqueue(chunk);
        },
      });
      body.pipeTo(counting.writable, { signal: ended }).then(close, close);
      return new Response(counting.readable, { status, statusText, headers });
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Breaks all connections. */
  lose(): void {
    for (const controller of this.#open) controller.abort(new TypeError("terminated"));
  }

  /**
   * Breaks all connections when callers have received what the agent has sent. Waits for a
   * connection if none is open.
   */
  async loseWhenRead(): Promise<void> {
    if (this.#open.size === 0)
      await new Promise<void>((resolve) => {
        this.#onOpen = resolve;
      });
    // Chunks pass through streams in this process, so that each turn of the event loop moves them.
    for (let quiet = 0; quiet < quietRounds;) {
      const before = this.#chunks;
      await new Promise((resolve) => setTimeout(resolve, 0));
      quiet = before === this.#chunks ? quiet + 1 : 0;
    }
    this.lose();
  }
}

/** Turns of the event loop without a chunk after which callers have received all chunks. */
const quietRounds = 5;
