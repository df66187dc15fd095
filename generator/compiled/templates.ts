import Handlebars from "handlebars";

/** The output of the Handlebars compiler for a template. */
export type TemplateProgram = Parameters<typeof Handlebars.template>[0];

/**
 * The programs of the bundled templates, by the text of the template. Only a build contains
 * programs.
 */
export const templatePrograms: ReadonlyMap<string, TemplateProgram> = new Map();

/**
 * Loads Handlebars for the given templates. A build only loads the compiler if a template has no
 * program, which is the case for the user's templates.
 */
export function loadHandlebars(_templates: Iterable<string>): Promise<typeof Handlebars> {
  return Promise.resolve(Handlebars);
}
