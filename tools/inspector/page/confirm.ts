import { button, h, type Child } from "./dom.js";
import { brief } from "./text.js";

/** A question that the user answers in a dialog. */
interface Question {
  readonly title: string;
  readonly text: readonly Child[];
  /** The label of the button that refuses, which is selected at first. */
  readonly no: string;
  /** The control that agrees. */
  readonly yes: HTMLElement;
}

/** Asks the user a question. Returns whether the user agrees. */
async function confirm({ title, text, no, yes }: Question): Promise<boolean> {
  const dialog = h("dialog", { "aria-labelledby": "confirm-title" });
  yes.addEventListener("click", () => dialog.close("yes"));
  dialog.append(
    h("h2", { id: "confirm-title" }, title),
    ...text.map((child) => h("p", {}, child)),
    h(
      "div",
      { class: "bar" },
      button(no, () => dialog.close("no"), { autofocus: true }),
      yes,
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  dialog.remove();
  return dialog.returnValue === "yes";
}

/**
 * Asks the user whether the command may send requests to an origin that is in the card, or in a
 * link.
 */
export function confirmOrigin(origin: string): Promise<boolean> {
  return confirm({
    title: "Call another origin?",
    text: [
      ["The agent lists an address at ", h("code", {}, brief(origin, 200)), "."],
      "The inspector sends requests from this computer, and can reach its private network.",
    ],
    no: "Do not call",
    yes: button("Call", () => undefined, { class: "primary" }),
  });
}

/**
 * Shows the whole address of a link, and lets the user follow it in a new tab. The text of a link
 * may name an address other than its own.
 */
export function confirmLink(url: string): Promise<boolean> {
  const { host, password, pathname, protocol, username } = new URL(url);
  const isMail = protocol === "mailto:";
  // The host of a parsed address is ASCII, so no sign can look like another or change the order.
  const emphasized = isMail ? pathname : host;
  const user = username + (password === "" ? "" : `:${password}`);
  const before = isMail ? "" : `//${user === "" ? "" : `${user}@`}`;
  const start = protocol.length + before.length;
  return confirm({
    title: isMail ? "Write a mail?" : "Follow the link?",
    text: [
      ["The agent has sent a link to ", h("strong", {}, brief(emphasized, 300)), "."],
      h(
        "code",
        { class: "whole-url" },
        url.slice(0, start),
        h("strong", {}, url.slice(start, start + emphasized.length)),
        url.slice(start + emphasized.length),
      ),
    ],
    no: "Stay here",
    yes: outsideLink(url, isMail ? "Write" : "Open in a new tab", "button primary"),
  });
}

/** Creates a link that leaves the page, without access to it and without a referrer. */
export function outsideLink(url: string, label: Child, kind = ""): HTMLAnchorElement {
  return h(
    "a",
    { href: url, target: "_blank", rel: "noopener noreferrer", class: kind !== "" && kind },
    label,
  );
}
