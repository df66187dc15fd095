import { isObject } from "../base/json.js";
import { describe } from "../schema/issue.js";
import { ValidationError } from "../schema/schema.js";

/** A resource name, such as `tasks/{id}`, which combines ids of the model into one string. */
export interface ResourceName {
  /** The pattern of the name, for messages. */
  readonly pattern: string;
  /** The paths of the name's ids in the model. */
  readonly paths: readonly (readonly string[])[];
  /**
   * Returns the name. Throws a {@link ValidationError} for an id that is missing, empty, or
   * contains a slash.
   */
  write(...ids: (string | undefined)[]): string;
  /**
   * Parses a name and sets the ids in `value`. Throws a {@link ValidationError} for a string that
   * does not match the pattern, and for an id that differs from an existing id. `field` is the key
   * of the field that contains the name, for errors.
   */
  read(text: string, value: object, field: string): void;
  /** Returns the ids by their paths, or `undefined` for a string that does not match. */
  match(text: string): readonly (readonly [path: readonly string[], id: string])[] | undefined;
}

/**
 * Creates a resource name from its patterns. Names that match any pattern are read, and names are
 * written with the first pattern. Braces contain the path of an id, with a question mark if the id
 * may be absent.
 */
export function resourceName(first: string, ...others: readonly string[]): ResourceName {
  const written = compile(first);
  const readable = [written, ...others.map(compile)];
  const match: ResourceName["match"] = (text) => {
    for (const { expression, variables } of readable) {
      const found = expression.exec(text);
      if (found === null) continue;
      // An optional id may be empty.
      return variables.flatMap(({ path }, index) => {
        const id = found[index + 1];
        return id ? [[path, id]] : [];
      });
    }
    return undefined;
  };
  return {
    pattern: first.replaceAll("?}", "}"),
    paths: written.variables.map(({ path }) => path),
    match,
    write(...ids) {
      return (
        written.variables.reduce((name, { path, optional, before }, index) => {
          const id = ids[index] ?? "";
          if (id === "" && !optional) throw invalid(path, "an id that is not empty", ids[index]);
          if (id.includes("/")) throw invalid(path, "an id without a slash", id);
          return name + before + id;
        }, "") + written.after
      );
    },
    read(text, value, field) {
      if (text === "") return;
      const ids = match(text);
      if (ids === undefined) throw invalid([field], `a name like "${this.pattern}"`, text);
      for (const [path, id] of ids) {
        const existing = idAt(value, path);
        if (existing !== undefined && existing !== id)
          throw invalid([field], `a name with the id ${JSON.stringify(existing)}`, text);
      }
      for (const [path, id] of ids) setId(value, path, id);
    },
  };
}

interface Variable {
  readonly path: readonly string[];
  readonly optional: boolean;
  /** The string before the variable. */
  readonly before: string;
}

interface Pattern {
  readonly variables: readonly Variable[];
  readonly after: string;
  readonly expression: RegExp;
}

function compile(pattern: string): Pattern {
  const variables: Variable[] = [];
  let end = 0;
  let source = "";
  for (const { 0: whole, 1: path = "", 2: mark, index } of pattern.matchAll(
    /\{([^{}?]+)(\?)?\}/g,
  )) {
    const before = pattern.slice(end, index);
    const optional = mark === "?";
    variables.push({ path: path.split("."), optional, before });
    source += escape(before) + (optional ? "([^/]*)" : "([^/]+)");
    end = index + whole.length;
  }
  const after = pattern.slice(end);
  return { variables, after, expression: new RegExp(`^${source}${escape(after)}$`, "u") };
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function invalid(path: readonly string[], expected: string, value: unknown): ValidationError {
  const pointer = path.map((key) => `/${key}`).join("");
  const found = describe(value);
  return new ValidationError("resource name", [
    { message: `${pointer} expected ${expected}, got ${found}`, path, pointer, expected, found },
  ]);
}

/** Sets the value at a path. Creates absent objects on the path, and merges objects. */
export function setAt(
  target: object,
  [key = "", ...rest]: readonly string[],
  value: unknown,
): void {
  const before = Object.hasOwn(target, key) ? (target as Record<string, unknown>)[key] : undefined;
  if (rest.length > 0) {
    const inner = isObject(before) ? before : {};
    setAt(inner, rest, value);
    setOwn(target, key, inner);
    return;
  }
  const areObjects = isObject(before) && isObject(value);
  setOwn(target, key, areObjects ? { ...before, ...value } : value);
}

/** Sets a member with any key, including `__proto__`, which cannot be assigned. */
function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function idAt(target: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => (isObject(found) ? found[key] : undefined), target);
}

/** Sets an id, or any other value, unless the member is already present. */
export function setId(target: object, path: readonly string[], id: unknown): void {
  if (idAt(target, path) === undefined) setAt(target, path, id);
}
