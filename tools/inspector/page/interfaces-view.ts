import type { ListedInterface, ProbeResult } from "../../agents/index.js";
import { button, fill, h } from "./dom.js";
import { nameOf, type Session } from "./session.js";
import { brief, timeText } from "./text.js";

/**
 * Creates the list of interfaces, with the result of a test call to each interface. The user
 * selects the interface for the chat.
 */
export function interfacesView(session: Session): HTMLElement {
  const list = h("fieldset", {});
  const again = button("Call all again", () => callAll(session), { class: "quiet" });
  const draw = (): void => {
    const all = session.report.value?.interfaces ?? [];
    const rows = all
      .slice(0, 50)
      .map((target) => rowOf(target, session.probes.value.get(target), session));
    const focused =
      document.activeElement instanceof HTMLInputElement ? document.activeElement.value : undefined;
    fill(
      list,
      h("legend", { class: "visually-hidden" }, "Interface of the chat"),
      rows.length > 0 ? rows : h("p", {}, "The card lists no interface"),
    );
    // Redrawing must not take the focus from the user.
    if (focused !== undefined)
      list.querySelector<HTMLInputElement>(`input[value="${CSS.escape(focused)}"]`)?.focus();
  };
  session.report.watch(draw);
  session.probes.watch(draw);
  session.selected.watch(draw);
  return h(
    "section",
    { class: "card interfaces", "aria-label": "Interfaces" },
    h("h3", {}, "Interfaces"),
    list,
    again,
  );
}

function rowOf(
  target: ListedInterface,
  probe: ProbeResult | undefined,
  session: Session,
): HTMLElement {
  const index = session.report.value?.interfaces.indexOf(target) ?? 0;
  const radio = h("input", {
    type: "radio",
    name: "interface",
    value: index,
    disabled: !target.isSupported,
    onchange: () => session.select(target),
  });
  radio.checked = session.selected.value === target;
  return h(
    "label",
    { class: "interface" },
    radio,
    h(
      "span",
      {},
      h("strong", {}, brief(nameOf(target), 60)),
      h("code", {}, brief(target.url, 200)),
    ),
    resultView(target, probe, session),
  );
}

function resultView(
  { isSupported, url }: ListedInterface,
  probe: ProbeResult | undefined,
  session: Session,
): HTMLElement {
  if (probe === undefined)
    return h("span", { class: "probe" }, isSupported ? "calling…" : "no transport for it");
  const origin = session.command.unconfirmed(url);
  if (origin !== undefined) {
    const allow = (): void => void session.command.allow(origin).then(() => callAll(session));
    return h(
      "span",
      { class: "probe" },
      "at another origin ",
      button("Allow calls", allow, { class: "quiet" }),
    );
  }
  const { state, detail, ms } = probe;
  const name = state === "responds" ? `responds, ${timeText(ms)}` : state;
  const kind = state === "responds" ? "good" : "bad";
  return h(
    "span",
    { class: `probe ${kind}` },
    name,
    detail !== "" && h("small", {}, brief(detail, 200)),
  );
}

function callAll(session: Session): void {
  const report = session.report.value;
  session.probes.set(new Map());
  if (report !== undefined) session.probe(report);
}
