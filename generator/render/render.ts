import Handlebars from "handlebars";

/** The templates, by their path below `templates/` without `.hbs`. Those below `partials/` are partials. */
export type TemplateTexts = ReadonlyMap<string, string>;

/** Thrown when a template cannot be rendered; the message names the template. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly template: string;

  constructor(template: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.template = template;
  }
}

const checkedHelpers = ["each", "if", "unless", "with"] as const;

/** Places views in templates. Output is code, so nothing is escaped; views hold every literal already quoted. */
export class Renderer {
  readonly #handlebars = Handlebars.create();
  readonly #texts: TemplateTexts;
  readonly #compiled = new Map<string, Handlebars.TemplateDelegate>();

  constructor(texts: TemplateTexts) {
    this.#texts = texts;
    for (const [name, text] of texts) {
      if (name.startsWith("partials/")) this.#handlebars.registerPartial(name.slice("partials/".length), text);
    }
    for (const name of checkedHelpers) this.#refuseUndefined(name);
  }

  /** Renders a template. Throws a {@link TemplateError} for a template that is wrong or names what the view lacks. */
  render(name: string, view: object): string {
    try {
      const text = this.#template(name)(view);
      return `${text.trimEnd()}\n`;
    } catch (error) {
      throw new TemplateError(name, error);
    }
  }

  #template(name: string): Handlebars.TemplateDelegate {
    const known = this.#compiled.get(name);
    if (known !== undefined) return known;
    const text = this.#texts.get(name);
    if (text === undefined) throw new Error("there is no such template");
    const compiled = this.#handlebars.compile(text, { noEscape: true, strict: true, knownHelpersOnly: true });
    this.#compiled.set(name, compiled);
    return compiled;
  }

  /** Strict mode looks at `{{name}}` only; this makes block helpers refuse a name that the view does not have, too. */
  #refuseUndefined(name: (typeof checkedHelpers)[number]): void {
    const builtIn = this.#handlebars.helpers[name];
    if (builtIn === undefined) throw new Error(`Handlebars has no helper ${name}`);
    this.#handlebars.registerHelper(name, function (this: unknown, value: unknown, options: Handlebars.HelperOptions) {
      if (value === undefined) throw new Error(`the argument of {{#${name}}} is not in the view`);
      return builtIn.call(this, value, options) as unknown;
    });
  }
}
