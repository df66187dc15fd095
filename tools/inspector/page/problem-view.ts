import { button, h } from "./dom.js";
import type { Problem } from "./problems.js";
import { brief, longText } from "./text.js";

/** Creates the element for a problem. `retry` repeats the call. */
export function problemView(problem: Problem, retry?: () => void): HTMLElement {
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
    canRetry && retry !== undefined && button("Try again", retry),
  );
}
