import { redacted, toCurl, toJson, type Exchange, type RecordedEvent } from "../../agents/index.js";
import { grpcTargetOf } from "./command.js";
import { button, copyButton, fill, h, type Child } from "./dom.js";
import { formOf } from "./event-form.js";
import { omittedText, sentenceOf, type ArtifactNames, type Sentence } from "./event-text.js";
import { jsonView } from "./json-view.js";
import { brief, countText, longText, sizeText, timeText, toJson as jsonOf } from "./text.js";
import { VirtualList } from "./virtual-list.js";

const views = ["Request", "Response", "Events", "curl"] as const;
type View = (typeof views)[number];

/** Request, response and events of the selected call. */
export class CallDetail {
  readonly element = h("div", { class: "detail", hidden: true });
  readonly #tabs = h("div", { class: "tabs", role: "group", "aria-label": "Part of the call" });
  readonly #body = h("div", { class: "detail-body" });
  readonly #secrets: () => readonly string[];
  #exchange: Exchange | undefined;
  /** The tab that the user has selected. */
  #selected: View | undefined;
  #events: EventsView | undefined;

  /** `secrets` returns the names of headers and query parameters that placeholders replace. */
  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
    const copy = copyButton("Copy as JSON", () =>
      this.#exchange === undefined ? "" : jsonOf(toJson(this.#exchange, { secrets: secrets() })),
    );
    this.element.append(
      h("div", { class: "bar" }, this.#tabs, h("span", { class: "spacer" }), copy),
      this.#body,
    );
  }

  /** Displays an exchange. */
  show(exchange: Exchange): void {
    this.element.hidden = false;
    this.#exchange = exchange;
    this.#events = undefined;
    this.#draw();
  }

  /** Displays the changes to the exchange since the last call. */
  update(): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    // While a stream runs, only extend the list, because drawing everything for each event would be
    // slow.
    if (this.#events !== undefined && this.#displayed(exchange) === "Events") this.#events.update();
    else if (this.#events === undefined || exchange.durationMs !== undefined) this.#draw();
  }

  /** Returns the selected tab if the exchange has it. By default, displays the response. */
  #displayed({ response }: Exchange): View {
    const hasEvents = response?.events !== undefined;
    if (this.#selected !== undefined && (this.#selected !== "Events" || hasEvents))
      return this.#selected;
    return hasEvents ? "Events" : "Response";
  }

  #draw(): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    const current = this.#displayed(exchange);
    const shown = views.filter(
      (view) => view !== "Events" || exchange.response?.events !== undefined,
    );
    const hadFocus = this.#tabs.contains(document.activeElement);
    fill(this.#tabs, ...shown.map((view) => this.#tab(view, view === current)));
    if (hadFocus) this.#tabs.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
    if (current === "Events") this.#events ??= new EventsView(exchange);
    else this.#events = undefined;
    fill(this.#body, this.#events?.element ?? contentOf(exchange, current, this.#secrets()));
  }

  #tab(view: View, isCurrent: boolean): HTMLElement {
    const select = (): void => {
      this.#selected = view;
      this.#draw();
    };
    return button(view, select, { "aria-pressed": String(isCurrent) });
  }
}

/** Returns the label of a call: its JSON-RPC method, or its HTTP method and path. */
export function titleOf({ request }: Exchange): string {
  const [, method] =
    /^\{"\w+":"2\.0","id":[^,]*,"method":"([^"\\]+)"/.exec(request.body?.slice(0, 200) ?? "") ?? [];
  if (method !== undefined)
    return grpcTargetOf(request.url) === undefined ? method : `${method} (gRPC)`;
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : request.url;
  return `${request.method} ${brief(path, 60)}`;
}

function contentOf(exchange: Exchange, view: View, secrets: readonly string[]): Child[] {
  const { request, response, error, durationMs } = exchange;
  if (view === "curl") return curlView(exchange, secrets);
  if (view === "Request") {
    const { url, headers, body } = redacted(request, { secrets });
    return [
      line(`${request.method} ${grpcTargetOf(url) ?? url}`),
      headersView(headers),
      bodyView(body ?? ""),
    ];
  }
  const failure = error !== undefined && h("p", { class: "note error" }, longText(error, 600));
  if (response === undefined) return [failure || h("p", {}, "No response yet")];
  const { status, headMs, headers, bytes, isTruncated, body } = response;
  const end = durationMs === undefined ? "running" : `end after ${timeText(durationMs)}`;
  return [
    line(`HTTP status ${status}, ${sizeText(bytes)}, head after ${timeText(headMs)}, ${end}`),
    failure,
    headersView(headers),
    isTruncated &&
      h(
        "p",
        { class: "note" },
        "The response is too long for the inspector, which displays its beginning",
      ),
    response.events === undefined && bodyView(body),
  ];
}

function line(text: string): HTMLElement {
  return h("p", { class: "line" }, h("code", {}, brief(text, 400)));
}

function curlView(exchange: Exchange, secrets: readonly string[]): Child[] {
  const target = grpcTargetOf(exchange.request.url);
  if (target !== undefined)
    return [h("p", {}, "The inspector has sent this call over gRPC, which curl does not support")];
  const command = toCurl(exchange, { secrets });
  const hint = "Placeholders replace credentials";
  return [
    h(
      "div",
      { class: "bar" },
      copyButton("Copy", () => command),
      h("small", {}, hint),
    ),
    h("pre", { tabindex: 0 }, longText(command)),
  ];
}

function headersView(headers: Readonly<Record<string, string>>): HTMLElement {
  const rows = Object.entries(headers)
    .slice(0, 100)
    .map(([name, value]) =>
      h("div", {}, h("dt", {}, brief(name, 80)), h("dd", {}, brief(value, 400))),
    );
  return h(
    "details",
    {},
    h("summary", {}, `${rows.length} headers`),
    h("dl", { class: "headers" }, ...rows),
  );
}

function bodyView(body: string): HTMLElement {
  return body === "" ? h("p", {}, "No body") : jsonView(body);
}

/** The events of a stream: a list of all events, and the selected event as JSON. */
class EventsView {
  readonly element: HTMLElement;
  readonly #exchange: Exchange;
  readonly #summary = h("p", { class: "line" });
  readonly #omitted = h("p", { class: "note", hidden: true });
  readonly #detail = h("div", { class: "event" });
  readonly #list: VirtualList;
  readonly #names = new Map<string, string>();
  /** The last event that has been searched for the name of an artifact. */
  #searched: RecordedEvent | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#list = new VirtualList({
      label: "Events",
      row: (index) => rowOf(this.#events[index], this.#names),
      onselect: (index) => fill(this.#detail, jsonView(this.#events[index]?.data ?? "")),
    });
    const hint = h("small", {}, "Select an event to display its JSON");
    this.#detail.append(hint);
    const parts = [this.#summary, this.#omitted, this.#list.element, this.#detail];
    this.element = h("div", { class: "events-view" }, ...parts);
    this.update();
  }

  get #events(): readonly RecordedEvent[] {
    return this.#exchange.response?.events ?? [];
  }

  update(): void {
    this.#readNames();
    const { length } = this.#events;
    const { durationMs, response, error } = this.#exchange;
    const end =
      error ?? (durationMs === undefined ? "running" : `ended after ${timeText(durationMs)}`);
    this.#summary.textContent = `${countText(length, "event")}, ${brief(end, 300)}`;
    const omitted = response === undefined ? "" : omittedText(response.omitted);
    this.#omitted.hidden = omitted === "";
    this.#omitted.textContent = omitted;
    this.#list.element.hidden = this.#detail.hidden = length === 0;
    this.#list.setLength(length);
  }

  /** Reads the names of the artifacts in new events. */
  #readNames(): void {
    const all = this.#events;
    const start = this.#searched === undefined ? 0 : all.lastIndexOf(this.#searched) + 1;
    this.#searched = all.at(-1);
    for (const { data } of all.slice(start)) {
      if (!data.includes('"name"') || this.#names.size >= keptNames) continue;
      const form = formOf(data);
      if (form?.kind !== "artifact" || form.artifact.name === "") continue;
      this.#names.set(form.artifact.id, form.artifact.name);
    }
  }
}

/** Number of artifacts whose names are kept. */
const keptNames = 1_000;

/** The sentences of events, which the list needs again whenever it scrolls. */
const sentences = new WeakMap<RecordedEvent, Sentence>();

function rowOf(event: RecordedEvent | undefined, names: ArtifactNames): Child {
  if (event === undefined) return "";
  const sentence = sentences.get(event) ?? sentenceOf(event.data, names);
  sentences.set(event, sentence);
  const { label, text, tone } = sentence;
  return [
    h("span", { class: "at" }, timeText(event.atMs)),
    " ",
    label !== "" && h("b", { class: tone }, label),
    text,
  ];
}
