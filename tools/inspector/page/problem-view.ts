import { button, h, type Child } from "./dom.js";
import type { Problem } from "./problems.js";
import { brief, longText } from "./text.js";

/** Creates the element for a problem, with fields for the next call, which `retry` sends. */
export function problemView(
  problem: Problem,
  retry?: () => void,
  ...fields: readonly Child[]
): HTMLElement {
  const { headline, hint, details, canRetry } = problem;
  // The name of an error of the protocol is one word.
  const isName = /^\w*$/.test(details);
  return h(
    "div",
    { class: "problem" },
    h("strong", {}, longText(headline, 600)),
    hint !== "" && h("p", {}, brief(hint, 600)),
    isName && details !== "" && h("code", {}, brief(details, 80)),
    !isName && h("details", {}, h("summary", {}, "Details"), longText(details, 2_000)),
    fields,
    canRetry && retry !== undefined && button("Try again", retry),
  );
}
