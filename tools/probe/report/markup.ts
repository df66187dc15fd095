/** HTML or XML whose text is escaped. */
export class Markup {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  toString(): string {
    return this.#source;
  }
}

/** A value in a template: text and numbers are escaped, and lists are joined. */
export type Content = string | number | Markup | readonly Markup[];

/**
 * Template tag for HTML and XML. Escapes the values in the template, and replaces the characters
 * that XML cannot contain.
 *
 * @example
 * markup`<p title="${title}">${text}</p>`
 */
export function markup({ raw }: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(String.raw({ raw }, ...values.map(sourceOf)));
}

function sourceOf(value: Content): string {
  if (value instanceof Markup) return String(value);
  return typeof value === "object" ? value.join("") : escaped(String(value));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text
    .replaceAll(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)
    .replaceAll(/[^\P{Cc}\t\r\n]|[\ufffe\uffff]/gu, "\ufffd");
}
