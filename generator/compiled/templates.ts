import Handlebars from "handlebars";

/** What Handlebars compiles a template to. */
export type TemplateProgram = Parameters<typeof Handlebars.template>[0];

/** The programs of the bundled templates, by the strings that they are compiled from. Only a build has any. */
export const templatePrograms: ReadonlyMap<string, TemplateProgram> = new Map();

/**
 * Loads Handlebars for some templates. The build leaves its compiler out of a run whose templates all have programs, and
 * that is every run without templates of the user.
 */
export function loadHandlebars(_templates: Iterable<string>): Promise<typeof Handlebars> {
  return Promise.resolve(Handlebars);
}
