/** An event of a stream. */
export interface RecordedEvent {
  readonly data: string;
  /** Milliseconds since the request. */
  readonly atMs: number;
}

/** Numbers of events of a response that the recorder did not keep. */
export interface OmittedEvents {
  /** Events before the first kept event, which exceeded the limits together with later events. */
  readonly earlier: number;
  /** Events that exceeded the limit alone. */
  readonly tooLong: number;
}

/** Maximum number of events to keep for each response. */
export const maxEvents = 10_000;

/** Reads server-sent events from bytes, and keeps the latest events within the limits. */
export class EventLog {
  readonly events: RecordedEvent[] = [];
  readonly omitted = { earlier: 0, tooLong: 0 };
  readonly #decoder = new TextDecoder();
  readonly #maxLength: number;
  #pending = "";
  #length = 0;
  /** Whether the beginning of the current event is too long to be kept. */
  #isSkipping = false;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get isTruncated(): boolean {
    return this.omitted.earlier + this.omitted.tooLong > 0;
  }

  add(bytes: Uint8Array, atMs: number): void {
    // A carriage return at the end of a chunk may belong to a line feed in the next chunk.
    this.#pending += this.#decoder.decode(bytes, { stream: true });
    const tail = this.#pending.endsWith("\r") ? "\r" : "";
    const complete = this.#pending.slice(0, this.#pending.length - tail.length);
    const blocks = complete.replaceAll(/\r\n?/g, "\n").split("\n\n");
    const rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (!this.#isSkipping) this.#keep(block, atMs);
      this.#isSkipping = false;
    }
    this.#pending = rest + tail;
    if (this.#pending.length <= this.#maxLength) return;
    // Do not keep an endless event. Its end may be two line feeds in different chunks.
    this.#pending = /\n?\r?$/.exec(this.#pending)?.[0] ?? "";
    if (!this.#isSkipping) this.omitted.tooLong += 1;
    this.#isSkipping = true;
  }

  #keep(block: string, atMs: number): void {
    const lines = block.split("\n").filter((line) => line.startsWith("data:"));
    if (lines.length === 0) return;
    const data = lines.map((line) => line.slice("data:".length).replace(/^ /, "")).join("\n");
    this.events.push({ data, atMs });
    this.#length += data.length;
    // The latest event stays, even if it alone exceeds the limit.
    while (
      this.events.length > maxEvents ||
      (this.#length > this.#maxLength && this.events.length > 1)
    ) {
      this.#length -= this.events.shift()?.data.length ?? 0;
      this.omitted.earlier += 1;
    }
  }
}
