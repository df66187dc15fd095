import { isPlatform } from "../emit/imports.js";
import { statementLines } from "../emit/statements.js";
import type { FilePlan, Statement } from "../emit/plan.js";
import { lineWidth } from "../emit/layout.js";
import { fillComments } from "../emit/prose.js";
import { quote } from "../emit/text.js";
import { TemplateError, type Renderer } from "../render/render.js";
import { InputError } from "../../support/diagnostics.js";
import type { Assets, OutputFile } from "./contract.js";

/** The first lines of a file, and the specifiers that the file uses to import other modules. */
export interface Head {
  readonly header: string;
  readonly specifierOf: (module: string) => string;
}

/**
 * Renders a planned file. `overrides` contains the names that messages use for the user's
 * templates.
 *
 * @throws InputError if a template is invalid, with its location
 */
export function renderFile(
  renderer: Renderer,
  { path, template, view, imports, exports, specifiers = {} }: FilePlan,
  { header, specifierOf }: Head,
  overrides: Assets["overrides"],
): OutputFile {
  const lines = (statements: readonly Statement[]): string[] =>
    statementLines(statements, (module) => (isPlatform(module) ? module : specifierOf(module)));
  const statements = {
    imports: lines(imports),
    exports: lines(exports),
    specifiers: Object.fromEntries(
      Object.entries(specifiers).map(([key, module]) => [key, quote(specifierOf(module))]),
    ),
  };
  try {
    const text = renderer.render(template, { ...view, header, ...statements });
    return { path, text: path.endsWith(".ts") ? fillComments(text, lineWidth) : text };
  } catch (error) {
    throw error instanceof TemplateError ? inputErrorOf(error, overrides) : error;
  }
}

/** Returns the error that shows users where their template is invalid. */
function inputErrorOf(
  { template, line, column, message }: TemplateError,
  overrides: Assets["overrides"],
): InputError {
  const location = {
    file: overrides?.get(template) ?? `templates/${template}.hbs`,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  };
  return new InputError({
    location,
    message: `the template cannot be rendered: ${message}`,
    hint: "Correct the template",
  });
}
