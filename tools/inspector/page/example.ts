import { button } from "./dom.js";
import { brief } from "./text.js";

/** Creates the button that fills an example of a skill into the message. */
export function exampleButton(example: string, use: (example: string) => void): HTMLElement {
  const title = "Fills in this message";
  return button(brief(example, 200), () => use(example), { class: "example", title });
}
