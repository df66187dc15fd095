import { protocol } from "../../generated/1.0/operations.js";
import { recorded, type CardReport } from "../agents/index.js";
import { listAt } from "../agents/findings.js";
import { isEarlier } from "../agents/lint.js";
import { drained } from "./drain.js";
import type { LaneOptions } from "./lane.js";
import type { Reply } from "./reply.js";

/** A card under test, with the requests for it. Each request is sent only once. */
export class CardSession {
  readonly report: CardReport;
  /** Replies that the current check has used. */
  used: Reply[] = [];
  readonly #options: LaneOptions;
  readonly #replies = new Map<string, Promise<Reply>>();

  constructor(report: CardReport, options: LaneOptions) {
    this.report = report;
    this.#options = options;
  }

  /** The card in its received form. */
  get raw(): unknown {
    return this.report.raw;
  }

  /** Whether the card only has members of versions before 1.0. */
  get isEarlier(): boolean {
    return isEarlier(this.raw);
  }

  /** The entries of a list in the card. */
  list(name: string): readonly unknown[] {
    return listAt(this.raw, name);
  }

  /**
   * Requests the card without credentials. `again` distinguishes a request from an earlier
   * identical request.
   */
  async get(headers: Readonly<Record<string, string>> = {}, again = ""): Promise<Reply> {
    const key = JSON.stringify([headers, again]);
    const known = this.#replies.get(key) ?? this.#send(headers);
    this.#replies.set(key, known);
    const reply = await known;
    this.used.push(reply);
    return reply;
  }

  #send(headers: Readonly<Record<string, string>>): Promise<Reply> {
    const { fetch, timeoutMs, signal } = this.#options;
    // Without its own Cache-Control, `fetch` asks for the whole card in conditional requests, with
    // "no-cache".
    const cached = { accept: "application/json", "cache-control": "max-age=0" };
    const defaults = { ...cached, [protocol.headers.version]: this.report.version };
    const init = {
      method: "GET",
      headers: { ...defaults, ...headers },
      cache: "no-cache" as const,
    };
    return drained(recorded(fetch, { maxExchanges: 1 }), {
      url: this.report.url ?? "",
      init,
      timeoutMs,
      signal,
    });
  }
}
