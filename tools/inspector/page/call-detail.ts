import { redacted, toCurl, toJson, type Exchange, type RecordedEvent } from "../../agents/index.js";
import { grpcTargetOf } from "./command.js";
import { button, copyButton, fill, h, type Child } from "./dom.js";
import {
  brief,
  jsonText,
  longText,
  prettyJson,
  sizeText,
  timeText,
  toJson as jsonOf,
} from "./text.js";
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
  return body === ""
    ? h("p", {}, "No body")
    : h("pre", { tabindex: 0 }, longText(prettyJson(body)));
}

/** The events of a stream: a list of all events, and the selected event. */
class EventsView {
  readonly element: HTMLElement;
  readonly #exchange: Exchange;
  readonly #summary = h("p", { class: "line" });
  readonly #detail = h("div", { class: "event" });
  readonly #list: VirtualList;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#list = new VirtualList({
      label: "Events",
      row: (index) => rowOf(this.#events[index]),
      onselect: (index) => fill(this.#detail, eventView(this.#events[index])),
    });
    this.element = h("div", {}, this.#summary, this.#list.element, this.#detail);
    this.update();
  }

  get #events(): readonly RecordedEvent[] {
    return this.#exchange.response?.events ?? [];
  }

  update(): void {
    const { length } = this.#events;
    const { durationMs, response, error } = this.#exchange;
    const end =
      error ?? (durationMs === undefined ? "running" : `ended after ${timeText(durationMs)}`);
    const kept = response?.isTruncated === true ? "the latest " : "";
    this.#summary.textContent = `${kept}${length.toLocaleString("en")} events, ${brief(end, 300)}`;
    this.#list.element.hidden = length === 0;
    this.#list.setLength(length);
  }
}

function rowOf(event: RecordedEvent | undefined): string {
  if (event === undefined) return "";
  const { data } = event;
  // The envelope of JSON-RPC is the same in each event.
  const content = data.slice(0, 400).replace(/^\{"\w+":"2\.0",(?:"id":[^,]*,)?"result":/, "");
  return `${timeText(event.atMs).padStart(7)}  ${brief(content, 160)}`;
}

function eventView(event: RecordedEvent | undefined): HTMLElement {
  return jsonText(prettyJson(event?.data ?? ""));
}
