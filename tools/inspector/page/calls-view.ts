import type { Exchange } from "../../agents/index.js";
import { CallDetail, titleOf } from "./call-detail.js";
import { button, fill, h } from "./dom.js";
import { beforeFrame } from "./frames.js";
import type { Session } from "./session.js";
import { timeText } from "./text.js";

/**
 * Creates the panel with the recorded calls. The latest call is selected until the user selects
 * another.
 */
export function callsView(session: Session): HTMLElement {
  const list = h("ol", { class: "calls", "aria-label": "Calls" });
  const empty = h("p", { class: "empty" }, "Requests and responses appear here");
  const detail = new CallDetail(() => session.secrets);
  const rows = new Map<number, CallRow>();
  const changed = new Set<Exchange>();
  let selected: Exchange | undefined;
  let isPinned = false;

  const select = (exchange: Exchange, { byUser }: { readonly byUser: boolean }): void => {
    selected = exchange;
    isPinned = byUser && exchange !== session.exchanges.at(-1);
    for (const [id, row] of rows) row.setSelected(id === exchange.id);
    detail.show(exchange);
  };
  const draw = (): void => {
    for (const exchange of changed) {
      // The recorder has deleted it, and its row.
      if (!session.exchanges.includes(exchange)) continue;
      const known = rows.get(exchange.id);
      const row = known ?? new CallRow(exchange, () => select(exchange, { byUser: true }));
      row.update();
      if (known !== undefined) continue;
      rows.set(exchange.id, row);
      list.prepend(row.element);
      if (!isPinned) select(exchange, { byUser: false });
    }
    if (selected !== undefined && changed.has(selected)) detail.update();
    changed.clear();
    removeOld(rows, session.exchanges);
    empty.hidden = rows.size > 0;
  };
  session.changed.watch((exchange) => {
    if (exchange === undefined) return;
    changed.add(exchange);
    beforeFrame(draw);
  });
  return h("div", { class: "calls-panel" }, h("h2", {}, "Calls"), empty, list, detail.element);
}

/** Removes the rows of exchanges that the recorder has deleted. */
function removeOld(rows: Map<number, CallRow>, exchanges: readonly Exchange[]): void {
  const oldest = exchanges[0]?.id ?? 0;
  for (const [id, row] of rows) {
    if (id >= oldest) return;
    row.element.remove();
    rows.delete(id);
  }
}

/** A row of the list of calls. */
class CallRow {
  readonly element: HTMLElement;
  readonly #exchange: Exchange;
  readonly #button: HTMLButtonElement;

  constructor(exchange: Exchange, onselect: () => void) {
    this.#exchange = exchange;
    this.#button = button("", onselect, { class: "call" });
    this.element = h("li", {}, this.#button);
  }

  setSelected(isSelected: boolean): void {
    this.#button.setAttribute("aria-pressed", String(isSelected));
  }

  update(): void {
    const { response, error, durationMs } = this.#exchange;
    const events = response?.events?.length;
    const isError = response !== undefined && isJsonRpcError(response.body);
    const isBad = error !== undefined || isError || (response?.status ?? 0) >= 400;
    const received = isError ? "error" : String(response?.status ?? "…");
    const status = error === undefined ? received : "failed";
    fill(
      this.#button,
      h("span", { class: "title" }, titleOf(this.#exchange)),
      events !== undefined &&
        h("span", { class: "events" }, `${events.toLocaleString("en")} events`),
      h("span", { class: "time" }, durationMs === undefined ? "running" : timeText(durationMs)),
      h("span", { class: `status ${isBad ? "bad" : "good"}` }, status),
    );
  }
}

/** Returns whether a body is a JSON-RPC error, which usually has a successful HTTP status. */
function isJsonRpcError(body: string): boolean {
  return /^\s*\{[^{]*"error"\s*:\s*\{/.test(body.slice(0, 300));
}
