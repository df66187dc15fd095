import type { Exchange, OmittedEvents } from "../../agents/index.js";
import { callOf, type CallForm } from "./call-form.js";
import {
  formOf,
  type ArtifactForm,
  type EventForm,
  type MessageForm,
  type StatusForm,
} from "./event-form.js";
import { sentenceOfForm, toneOf } from "./event-text.js";
import { EntryList, maxEntries, type Entry } from "./timeline-entries.js";

/** A request that an agent has sent to a webhook. */
export interface Delivery {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `undefined` for a body that is not an event. */
  readonly form: EventForm | undefined;
}

/** Calls and webhook requests from which a timeline reads. */
export interface TimelineSources {
  readonly exchanges: readonly Exchange[];
  readonly deliveries: readonly Delivery[];
}

/** The progress of reading an exchange. */
interface Cursor {
  readonly exchange: Exchange;
  /** `undefined` for requests that are not about a task. */
  readonly call: CallForm | undefined;
  /** Whether the exchange is about the task; `undefined` until an event names its task. */
  isOurs: boolean | undefined;
  hasBegun: boolean;
  /** Number of events that have been read, including events that the recorder has deleted. */
  read: number;
  hasEnded: boolean;
}

/** Something to read, with its time. */
interface Item {
  readonly at: number;
  readonly read: () => void;
}

const callTitles: Readonly<Record<CallForm["kind"], string>> = {
  send: "Message",
  get: "Reading the task",
  cancel: "Cancellation",
  subscribe: "Subscription",
  addWebhook: "Registration of the webhook",
  deleteWebhook: "Deletion of the webhook",
};

/** The history of a task, from all recorded calls about it. */
export class Timeline {
  readonly taskId: string;
  readonly #list = new EntryList();
  readonly #cursors = new WeakMap<Exchange, Cursor>();
  /** The calls that the recorder keeps. */
  #exchanges: readonly Exchange[] = [];
  readonly #delivered = new WeakSet<Delivery>();
  /** The statuses so far that have a time. */
  readonly #statuses = new Set<string>();
  readonly #messages = new Set<string>();
  readonly #names = new Map<string, string>();
  readonly #artifacts = new Set<string>();
  #status: StatusForm | undefined;

  constructor(taskId: string) {
    this.taskId = taskId;
  }

  /** The entries in the order of their times. */
  get entries(): readonly Entry[] {
    return this.#list.all;
  }

  /** Number of entries that were deleted because there are too many. */
  get deleted(): number {
    return this.#list.deleted;
  }

  /** The current state as words, or an empty string. */
  get state(): string {
    return this.#status?.state ?? "";
  }

  /** The events of the task's calls that the recorder has left out. */
  get omitted(): OmittedEvents {
    const all = this.#exchanges.filter((each) => this.#cursors.get(each)?.isOurs === true);
    const sum = (name: keyof OmittedEvents): number =>
      all.reduce((count, { response }) => count + (response?.omitted[name] ?? 0), 0);
    return { earlier: sum("earlier"), tooLong: sum("tooLong") };
  }

  /**
   * Reads everything that is new, in the order of time, until `isDue` returns true. Returns whether
   * everything has been read.
   */
  read(sources: TimelineSources, isDue: () => boolean = () => false): boolean {
    this.#exchanges = sources.exchanges;
    const items = [
      ...sources.exchanges.flatMap((exchange) => this.#itemsOf(exchange)),
      ...sources.deliveries.flatMap((delivery) => this.#deliveryOf(delivery)),
    ];
    // Calls can run at the same time. The sort is stable.
    items.sort((one, other) => one.at - other.at);
    for (const { read } of items) {
      if (isDue()) return false;
      read();
    }
    return true;
  }

  #itemsOf(exchange: Exchange): readonly Item[] {
    const cursor = this.#cursorOf(exchange);
    if (cursor.call === undefined || cursor.isOurs === false || cursor.hasEnded) return [];
    const { startedAt, response, durationMs } = exchange;
    const { events = [], omitted = { earlier: 0 } } = response ?? {};
    const start = Math.max(0, cursor.read - omitted.earlier);
    const items: Item[] = events.slice(start).map(({ data, atMs }, index) => ({
      at: startedAt + atMs,
      read: () => {
        cursor.read = omitted.earlier + start + index + 1;
        if (cursor.isOurs !== false) this.#event(cursor, formOf(data), startedAt + atMs);
      },
    }));
    if (!cursor.hasBegun) items.unshift({ at: startedAt, read: () => this.#begin(cursor) });
    if (durationMs !== undefined) {
      const at = startedAt + durationMs;
      items.push({ at, read: () => this.#end(cursor, at) });
    }
    return items;
  }

  #cursorOf(exchange: Exchange): Cursor {
    const known = this.#cursors.get(exchange);
    if (known !== undefined) return known;
    const call = callOf(exchange.request);
    const isOurs =
      call === undefined || call.taskId === "" ? undefined : call.taskId === this.taskId;
    const cursor = { exchange, call, isOurs, hasBegun: false, read: 0, hasEnded: false };
    this.#cursors.set(exchange, cursor);
    return cursor;
  }

  /** Adds the beginning of a call, unless the page does not know its task yet. */
  #begin(cursor: Cursor): void {
    const { call, exchange } = cursor;
    if (cursor.isOurs !== true || cursor.hasBegun || call === undefined) return;
    cursor.hasBegun = true;
    const at = exchange.startedAt;
    if (call.message !== undefined) {
      this.#messages.add(messageKey(call.message));
      this.#list.add({ kind: "message", at, title: "You", text: call.message.text });
      if (call.webhook !== "") this.#webhook("Webhook registered", call.webhook, at);
    }
    if (call.kind === "cancel")
      this.#list.add({ kind: "call", at, title: "You canceled the task" });
    if (call.kind === "subscribe")
      this.#list.add({ kind: "call", at, title: "You followed the task in a new stream" });
  }

  #end(cursor: Cursor, at: number): void {
    cursor.hasEnded = true;
    const { call, exchange } = cursor;
    const { response, error, isAborted } = exchange;
    const form = response?.events === undefined ? formOf(response?.body ?? "") : undefined;
    if (form !== undefined && form.kind !== "error" && cursor.isOurs !== false)
      this.#event(cursor, form, at);
    if (cursor.isOurs !== true || call === undefined) return;
    const status = response?.status ?? 0;
    const refusal = form?.kind === "error" ? sentenceOfForm(form) : undefined;
    const failure =
      error ??
      (refusal && refusal.label + refusal.text) ??
      (status >= 400 ? `HTTP status ${status}` : undefined);
    if (isAborted) this.#list.add({ kind: "call", at, title: "You ended the call" });
    else if (failure !== undefined) this.#failed(call, failure, at);
    else if (call.kind === "addWebhook") this.#webhook("Webhook registered", call.webhook, at);
    else if (call.kind === "deleteWebhook") this.#webhook("Webhook deleted", call.webhook, at);
  }

  #failed({ kind }: CallForm, text: string, at: number): void {
    this.#list.add({ kind: "call", at, title: `${callTitles[kind]} failed`, text, tone: "bad" });
  }

  #webhook(title: string, text: string, at: number): void {
    this.#list.add({ kind: "webhook", at, title, text });
  }

  #event(cursor: Cursor, form: EventForm | undefined, at: number): void {
    if (form === undefined) return;
    if (cursor.isOurs === undefined && form.taskId !== "")
      cursor.isOurs = form.taskId === this.taskId;
    if (cursor.isOurs !== true) return;
    this.#begin(cursor);
    const isRepeated = this.#isRepeated(cursor, at);
    if (form.kind === "status") this.#setStatus(form.status, at, isRepeated);
    else if (form.kind === "task") this.#snapshot(form, at, isRepeated);
    else if (form.kind === "artifact") {
      if (!isRepeated) this.#chunk(form, at);
    } else if (form.kind === "message") {
      const { text } = form.message;
      this.#list.add({ kind: "message", at, title: "Message from the agent", text });
    } else {
      const { label, text } = sentenceOfForm(form);
      if (cursor.call !== undefined) this.#failed(cursor.call, label + text, at);
    }
  }

  /** Returns whether an earlier stream of the task, which is still open, reports the same. */
  #isRepeated(cursor: Cursor, at: number): boolean {
    for (const other of this.#exchanges) {
      if (other === cursor.exchange) return false;
      const { startedAt, durationMs = Infinity, response } = other;
      const isOurs = this.#cursors.get(other)?.isOurs === true;
      if (isOurs && response?.events !== undefined && startedAt + durationMs > at) return true;
    }
    return false;
  }

  #snapshot(
    task: Extract<EventForm, { readonly kind: "task" }>,
    at: number,
    isRepeated: boolean,
  ): void {
    const when = this.#timeOf(task.status, at);
    for (const message of task.history) {
      const key = messageKey(message);
      if (this.#messages.has(key)) continue;
      this.#messages.add(key);
      const { isUser, text } = message;
      const title = isUser ? "Message from the user" : "Message from the agent";
      this.#list.add({ kind: "message", at: when, isEarlier: true, title, text });
    }
    for (const artifact of task.artifacts) {
      if (this.#artifacts.has(artifact.id)) continue;
      this.#artifact(artifact, { at: when, isEarlier: true });
    }
    this.#setStatus(task.status, when, isRepeated);
  }

  /** Returns the time of the agent, if it can be the time at which the task changed. */
  #timeOf({ timestamp }: StatusForm, at: number): number {
    const time = Date.parse(timestamp);
    const last = this.entries.at(-1)?.at ?? -Infinity;
    return time >= last && time <= at ? time : at;
  }

  /** Adds a status. `isRepeated` is set if a different call reports it, too. */
  #setStatus(status: StatusForm, at: number, isRepeated: boolean): void {
    const { state, timestamp, message } = status;
    const key = keyOf(status);
    const current = this.#status;
    if (timestamp === "" ? isRepeated || key === keyOf(current) : this.#statuses.has(key)) return;
    if (Date.parse(timestamp) < Date.parse(current?.timestamp ?? "")) return;
    if (timestamp !== "") this.#statuses.add(key);
    const [oldest = ""] = this.#statuses;
    if (this.#statuses.size > maxEntries) this.#statuses.delete(oldest);
    const hasChanged = state !== this.state;
    this.#status = status;
    if (message !== undefined) this.#messages.add(messageKey(message));
    const text = message?.text ?? "";
    if (hasChanged) this.#list.add({ kind: "state", at, title: state, text, tone: toneOf(state) });
    else if (text !== "") this.#list.add({ kind: "progress", at, title: "Progress", text });
  }

  #chunk(
    { artifact, isAppended }: Extract<EventForm, { readonly kind: "artifact" }>,
    at: number,
  ): void {
    const isReplaced = !isAppended && this.#artifacts.has(artifact.id);
    const noun = isReplaced ? "version" : "chunk";
    const text = isReplaced ? "The agent has replaced the artifact" : "";
    this.#artifact(artifact, { at, group: `${noun} ${artifact.id}`, noun, text });
  }

  #artifact({ id, name, bytes }: ArtifactForm, more: Pick<Entry, "at"> & Partial<Entry>): void {
    this.#artifacts.add(id);
    if (name !== "") this.#names.set(id, name);
    const title = this.#names.get(id) ?? id;
    this.#list.add({ kind: "artifact", title, bytes, tone: "artifact-tone", ...more });
  }

  #deliveryOf(delivery: Delivery): readonly Item[] {
    if (this.#delivered.has(delivery)) return [];
    const read = (): void => {
      this.#delivered.add(delivery);
      const { form } = delivery;
      if (form?.taskId !== this.taskId) return;
      // A webhook may be faster than the stream, or the only source.
      if (form.kind === "status" || form.kind === "task")
        this.#setStatus(form.status, delivery.at, true);
      const { label, text } = sentenceOfForm(form, this.#names);
      const isArtifact = form.kind === "artifact";
      this.#list.add({
        kind: "webhook",
        at: delivery.at,
        title: "Webhook received",
        text: isArtifact ? label : label + text,
        group: isArtifact ? `delivery ${form.artifact.id}` : "",
        noun: "request",
      });
    };
    return [{ at: delivery.at, read }];
  }
}

function keyOf(status: StatusForm | undefined): string {
  const { state, timestamp, message } = status ?? {};
  return JSON.stringify([state, timestamp, message && messageKey(message)]);
}

/** Some agents give all messages the same id, or an empty id. */
function messageKey({ id, text }: MessageForm): string {
  return JSON.stringify([id, text.slice(0, 100)]);
}
