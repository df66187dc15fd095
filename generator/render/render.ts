import type Handlebars from "handlebars";
import { loadHandlebars, templatePrograms } from "../compiled/templates.js";
import { compileOptions } from "./compile-options.js";

/**
 * The templates, by their path below `templates/` without `.hbs`. Templates below `partials/` are
 * partials.
 */
export type TemplateTexts = ReadonlyMap<string, string>;

/**
 * Error if a template cannot be rendered. Contains the name of the template, and the location in
 * the template if known.
 */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly template: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(template: string, cause: unknown) {
    const original = cause instanceof Error ? cause.message : String(cause);
    const text = original.replace(
      /^(".*?") not defined in \[object \w+\]/s,
      "$1 is missing from the view",
    );
    const [, parsed] = /^Parse error on line (\d+)/.exec(text) ?? [];
    const [, message = text, line = parsed, column] = /^(.*) - (\d+):(\d+)$/s.exec(text) ?? [];
    super(parsed === undefined ? message : (text.split("\n").at(-1) ?? text), { cause });
    this.template = template;
    this.line = line === undefined ? undefined : Number(line);
    this.column = column === undefined ? undefined : Number(column) + 1;
  }
}

const checkedHelpers = ["each", "if", "unless", "with"] as const;

/**
 * Renders views with templates. The output is code, so nothing is escaped. Views contain literals
 * that are already quoted.
 */
export class Renderer {
  readonly #handlebars: typeof Handlebars;
  readonly #templates: TemplateTexts;
  readonly #compiled = new Map<string, Handlebars.TemplateDelegate>();

  private constructor(templates: TemplateTexts, handlebars: typeof Handlebars) {
    this.#handlebars = handlebars;
    this.#templates = templates;
    for (const [name, template] of templates) {
      if (name.startsWith("partials/"))
        this.#handlebars.registerPartial(
          name.slice("partials/".length),
          this.#partial(name, template),
        );
    }
    for (const name of checkedHelpers) this.#refuseUndefined(name);
  }

  /** Returns a renderer for the given templates. */
  static async load(templates: TemplateTexts): Promise<Renderer> {
    const handlebars = await loadHandlebars([...templates].map(([, template]) => template));
    const own = handlebars.create();
    // The helper prints the text of a template, including escape sequences of the terminal.
    own.unregisterHelper("log");
    return new Renderer(templates, own);
  }

  /**
   * Renders a template.
   *
   * @throws TemplateError if the template is invalid, or uses a name that is missing from the view
   */
  render(name: string, view: object): string {
    try {
      const text = this.#template(name)(view);
      return `${text.trimEnd()}\n`;
    } catch (error) {
      throw error instanceof TemplateError ? error : new TemplateError(name, error);
    }
  }

  #compile(template: string): Handlebars.TemplateDelegate {
    const program = templatePrograms.get(template);
    return program === undefined
      ? this.#handlebars.compile(template, compileOptions)
      : this.#handlebars.template(program);
  }

  /** Compiles a partial so that its errors name the partial, not the template that uses it. */
  #partial(name: string, template: string): Handlebars.TemplateDelegate {
    const compiled = this.#compile(template);
    return (view: unknown, options) => {
      if (view === undefined)
        throw new Error(
          `the argument of {{> ${name.slice("partials/".length)}}} is missing from the view`,
        );
      try {
        return compiled(view, options);
      } catch (error) {
        throw error instanceof TemplateError ? error : new TemplateError(name, error);
      }
    };
  }

  #template(name: string): Handlebars.TemplateDelegate {
    const known = this.#compiled.get(name);
    if (known !== undefined) return known;
    const template = this.#templates.get(name);
    if (template === undefined) throw new Error("the template does not exist");
    const compiled = this.#compile(template);
    this.#compiled.set(name, compiled);
    return compiled;
  }

  /**
   * Makes block helpers throw if a name is missing from the view, because strict mode only checks
   * `{{name}}`.
   */
  #refuseUndefined(name: (typeof checkedHelpers)[number]): void {
    const builtIn = this.#handlebars.helpers[name];
    if (builtIn === undefined) throw new Error(`the helper ${name} does not exist in Handlebars`);
    this.#handlebars.registerHelper(
      name,
      function (this: unknown, value: unknown, options: Handlebars.HelperOptions) {
        if (value === undefined)
          throw new Error(`the argument of {{#${name}}} is missing from the view`);
        return builtIn.call(this, value, options) as unknown;
      },
    );
  }
}
