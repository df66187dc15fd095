/** Applies a function to the parts of a Markdown text between its blocks of code. */
export function outsideCode(text, change) {
  return text
    .split(/(^```[^]*?^```$)/m)
    .map((part) => (part.startsWith("```") ? part : change(part)))
    .join("");
}
