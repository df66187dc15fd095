/** Words that are not valid as names of variables. */
export const keywords: ReadonlySet<string> = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum " +
    "eval export extends false " +
    "finally for function if implements import in instanceof interface let new null package " +
    "private protected public return " +
    "static super switch this throw true try typeof undefined var void while with yield Infinity " +
    "NaN"
  ).split(" "),
);

/**
 * Splits a name in any case style into its words: for `TASK_STATE`, `taskState` and `task-state`,
 * returns `task` and `state`.
 */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])(?=[A-Z][a-z])/g, "$1 ")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** Returns a name in PascalCase: `TASK_STATE` becomes `TaskState`. */
export function pascalCase(name: string): string {
  return wordsOf(name).map(capitalize).join("");
}

/** Returns a name in camelCase: `GetTask` becomes `getTask`. */
export function camelCase(name: string): string {
  const [first = "", ...rest] = wordsOf(name);
  return first + rest.map(capitalize).join("");
}

/** Returns a name in UPPER_SNAKE_CASE: `TaskState` becomes `TASK_STATE`. */
export function upperSnakeCase(name: string): string {
  return wordsOf(name).join("_").toUpperCase();
}

/**
 * Returns the JSON name of a proto field, derived as in protoc: underscores are removed, and the
 * letter after an underscore is capitalized.
 */
export function jsonName(protoName: string): string {
  return protoName.replace(/_+(.?)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the usual proto name for a JSON name: `contextId` becomes `context_id`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns whether a name can be used after a dot, and as a key without quotes. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/**
 * Returns the name of the constant for a method. If the name is a reserved word, adds a trailing
 * underscore.
 */
export function constantFor(method: string): string {
  return keywords.has(method) ? `${method}_` : method;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Returns the indefinite article for a name. */
export function articleOf(name: string): string {
  return /^[AEIOU]/.test(name) ? "an" : "a";
}
