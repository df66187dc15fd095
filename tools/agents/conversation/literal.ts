/**
 * Characters that end a line of source code, or change how it is displayed. Spaces and line feeds
 * are escaped by `JSON.stringify`, or are harmless.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns a value as source code that evaluates to the same value. */
export function literal(value: unknown, indent = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, inner));
    return wrapped("[", items, "]", indent);
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => `${key(name)}: ${literal(member, inner)}`);
    return wrapped("{ ", members, " }", indent);
  }
  return scalar(value ?? null);
}

/** Returns items on one line if they fit. */
function wrapped(open: string, items: readonly string[], close: string, indent: string): string {
  if (items.length === 0) return open.trim() + close.trim();
  const line = items.join(", ");
  if (line.length + indent.length < 70 && !line.includes("\n")) return open + line + close;
  const lines = items.map((item) => `${indent}  ${item},\n`).join("");
  return `${open.trim()}\n${lines}${indent}${close.trim()}`;
}

/** Returns the name of a member. A plain `__proto__` would set the prototype. */
function key(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : scalar(name);
}

function scalar(value: unknown): string {
  return JSON.stringify(value).replace(unsafe, escaped);
}

function escaped(sign: string): string {
  return Array.from(
    { length: sign.length },
    (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
