import { button, h } from "./dom.js";
import { brief } from "./text.js";

/**
 * Asks the user whether the command may send requests to an origin that is in the card, or in a
 * link.
 */
export async function confirmOrigin(origin: string): Promise<boolean> {
  const dialog = h("dialog", { "aria-labelledby": "confirm-title" });
  const close = (answer: string) => () => dialog.close(answer);
  dialog.append(
    h("h2", { id: "confirm-title" }, "Call another origin?"),
    h("p", {}, "The agent lists an address at ", h("code", {}, brief(origin, 200)), "."),
    h(
      "p",
      {},
      "The inspector sends requests from this computer, and can reach its private network.",
    ),
    h(
      "div",
      { class: "bar" },
      button("Do not call", close("no"), { autofocus: true }),
      button("Call", close("yes"), { class: "primary" }),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  dialog.remove();
  return dialog.returnValue === "yes";
}
