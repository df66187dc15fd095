import { pascalCase } from "../../support/names.js";

/** A place in a path that a value stands in. */
export interface PathVariable {
  /** What the document calls it. */
  readonly name: string;
  /** The path of the field that it is a part of, or all of. */
  readonly field: string;
  /** The pattern of the field where the place is only a part of it: `tasks/*`. */
  readonly pattern?: string;
  /** Which of the places in the pattern it is. */
  readonly index: number;
  /** Whether the value may hold slashes, as `**` says. */
  readonly isOpen: boolean;
}

/** The path of a route, as documents write it. */
export interface PathTemplate {
  /** `/v1/tasks/{taskId}:cancel`. */
  readonly path: string;
  /** The path without the names in its braces: paths with equal ones cannot be told apart. */
  readonly shape: string;
  readonly variables: readonly PathVariable[];
  /** The last word of the path that is no variable, without what follows its colon. */
  readonly collection: string | undefined;
}

/**
 * Brings a path template of `google.api.http` into the form with one name for each place: `/{name=tasks/*}:cancel` becomes
 * `/tasks/{taskId}:cancel`.
 */
export function pathTemplate(route: string): PathTemplate {
  const names = new Set<string>();
  const variables: PathVariable[] = [];
  const path = route.replace(/\{([^{}=]+)(?:=([^{}]+))?\}/g, (_, field: string, pattern?: string) => {
    if (pattern === undefined || /^\*+$/.test(pattern)) {
      names.add(field);
      variables.push({ name: field, field, index: 0, isOpen: pattern === "**" });
      return `{${field}}`;
    }
    return placesOf(field, pattern, names, variables);
  });
  const words = path.match(/(?<=\/)[^/{}:]+/g);
  return { path, shape: path.replaceAll(/\{[^{}]*\}/g, "{}"), variables, collection: words?.at(-1) };
}

/** Names each place of a pattern after the word in front of it, and adds it to the variables. */
function placesOf(field: string, pattern: string, names: Set<string>, variables: PathVariable[]): string {
  let index = 0;
  let before = "";
  const segments = pattern.split("/").map((segment) => {
    if (!segment.startsWith("*")) return (before = segment);
    const name = nameOf(field, before, index, names);
    names.add(name);
    variables.push({ name, field, pattern, index, isOpen: segment === "**" });
    index += 1;
    return `{${name}}`;
  });
  return segments.join("/");
}

/** `tasks` becomes `taskId`; a place without a word in front of it is called after its field. */
function nameOf(field: string, before: string, index: number, names: ReadonlySet<string>): string {
  const candidates = [before === "" ? field : `${before.replace(/s$/, "")}Id`, field + pascalCase(before)];
  return candidates.find((name) => !names.has(name)) ?? `${field}${index + 1}`;
}

/** Returns a template the names of another one of the same shape. */
export function withNamesOf(template: PathTemplate, other: PathTemplate): PathTemplate {
  const variables = template.variables.map((variable, index) => {
    return { ...variable, name: other.variables[index]?.name ?? variable.name };
  });
  return { ...template, path: other.path, variables };
}
