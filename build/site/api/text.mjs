/**
 * Returns the Markdown of a doc comment: its summary, what it throws and remarks, and its examples.
 * `linkOf` returns a link to an export with a label.
 */
export function markdownOf(comment, linkOf) {
  if (comment === undefined) return { summary: "", details: [], examples: [] };
  const write = (parts) =>
    parts
      .map((part) => textOf(part, linkOf))
      .join("")
      .trim();
  const blocks = comment.blockTags.map(({ tag, content, typeAnnotation: type }) => ({
    tag,
    text: write(content),
    type: type?.replaceAll(/[{}]/g, ""),
  }));
  const of = (name) => blocks.filter(({ tag }) => tag === name);
  return {
    summary: write(comment.summary),
    details: [
      ...of("@returns").map(({ text }) => sentence("Returns", text)),
      ...of("@throws").map(({ type, text }) => sentence(`Throws${errorOf(type)}`, text)),
    ],
    examples: of("@example").map(({ text }) => text),
  };
}

function errorOf(type) {
  if (type === undefined) return "";
  return ` ${/^[AEIOU]/.test(type) ? "an" : "a"} \`${type}\``;
}

function textOf({ kind, text, target }, linkOf) {
  if (kind !== "inline-tag") return text;
  const link = typeof target === "object" ? linkOf(target, `\`${text}\``) : undefined;
  return link ?? `\`${text}\``;
}

function sentence(start, text) {
  const [first = ""] = text;
  const rest = /^(?:An?|The|Errors|If)\b/.test(text) ? first.toLowerCase() + text.slice(1) : text;
  return `${start} ${rest.replaceAll(/\n +/g, "\n")}${/[.:]$/.test(rest) ? "" : "."}`;
}

/** Returns a table, or an empty text if it has no rows. */
export function table(titles, rows) {
  if (rows.length === 0) return "";
  const lines = [titles, titles.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map(cellOf).join(" | ")} |`).join("\n");
}

/** Returns a text as one line, as cells must be. Blocks of code become code in the line. */
function cellOf(text) {
  return text
    .replaceAll(/```\w*\n([^]*?)\n```/g, (_, code) => `\`${code.replaceAll(/\s+/g, " ")}\``)
    .replaceAll(/\n\n+(?:- )?|\n- /g, "<br>")
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll("|", String.raw`\|`);
}
