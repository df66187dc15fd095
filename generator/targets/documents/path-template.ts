import { pascalCase } from "../../../support/names.js";

/** Variable of a path. */
export interface PathVariable {
  /** Name of the variable in the document. */
  readonly name: string;
  /** Path of the field whose value, or a part of it, is the value of the variable. */
  readonly field: string;
  /** Pattern of the field if the variable is only a part of its value: `tasks/*`. */
  readonly pattern?: string;
  /** Index of the variable among the variables of the pattern. */
  readonly index: number;
  /** Whether the value may contain slashes (`**`). */
  readonly isOpen: boolean;
}

/** Path of a route in the syntax of API documents. */
export interface PathTemplate {
  /** Path with named variables: `/v1/tasks/{taskId}:cancel`. */
  readonly path: string;
  /**
   * Path without the names of its variables. OpenAPI cannot distinguish paths that only differ in
   * these names.
   */
  readonly shape: string;
  readonly variables: readonly PathVariable[];
  /** Last literal segment of the path, without a suffix after a colon. */
  readonly collection: string | undefined;
}

/**
 * Converts a path template of `google.api.http` to a path with one name for each variable:
 * `/{name=tasks/*}:cancel` becomes `/tasks/{taskId}:cancel`.
 */
export function pathTemplate(route: string): PathTemplate {
  const names = new Set<string>();
  const variables: PathVariable[] = [];
  const path = route.replace(
    /\{([^{}=]+)(?:=([^{}]+))?\}/g,
    (_, field: string, pattern?: string) => {
      if (pattern === undefined || /^\*+$/.test(pattern)) {
        names.add(field);
        variables.push({ name: field, field, index: 0, isOpen: pattern === "**" });
        return `{${field}}`;
      }
      return placeholdersOf(field, pattern, names, variables);
    },
  );
  const words = path.match(/(?<=\/)[^/{}:]+/g);
  return {
    path,
    shape: path.replaceAll(/\{[^{}]*\}/g, "{}"),
    variables,
    collection: words?.at(-1),
  };
}

/** Names each wildcard of a pattern after the segment before it, and adds it to the variables. */
function placeholdersOf(
  field: string,
  pattern: string,
  names: Set<string>,
  variables: PathVariable[],
): string {
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

/**
 * Converts a segment to the name of a variable: `tasks` becomes `taskId`. If no segment precedes a
 * variable, the variable is named after its field.
 */
function nameOf(field: string, before: string, index: number, names: ReadonlySet<string>): string {
  const candidates = [
    before === "" ? field : `${before.replace(/s$/, "")}Id`,
    field + pascalCase(before),
  ];
  return candidates.find((name) => !names.has(name)) ?? `${field}${index + 1}`;
}

/** Returns a template with the variable names of another template of the same shape. */
export function withNamesOf(template: PathTemplate, other: PathTemplate): PathTemplate {
  const variables = template.variables.map((variable, index) => {
    return { ...variable, name: other.variables[index]?.name ?? variable.name };
  });
  return { ...template, path: other.path, variables };
}
