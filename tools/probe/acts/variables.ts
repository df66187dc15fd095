import { isObject } from "../../agents/findings.js";
import { Inapplicable } from "../inapplicable.js";
import { valuesAt } from "./assert.js";

/** Thrown if a test uses a value that the response of an earlier step does not contain. */
export class UnknownVariable extends Error {
  override readonly name = "UnknownVariable";
}

/** A string that consists of a single variable, and a variable in a string. */
const singleVariable = /^\{\{\s*([^{}]+?)\s*\}\}$/;
const eachVariable = /\{\{\s*([^{}]+?)\s*\}\}/g;

/** Depth of references between variables, so that a circle of references ends. */
const maxDepth = 8;

/** Values that a test may use in its steps. */
export class Variables {
  readonly #values: Readonly<Record<string, string>>;
  readonly #env: Readonly<Record<string, string | undefined>>;
  /** Captured values and responses, by the id of the step. */
  readonly #steps = new Map<
    string,
    { readonly captured: Record<string, unknown>; response: unknown }
  >();

  constructor(
    values: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.#values = values;
    this.#env = env;
  }

  /** Stores the response of a step, and the values that the step captures from it. */
  capture(step: string, response: unknown, paths: Readonly<Record<string, string>> = {}): void {
    const captured = Object.entries(paths).map(
      ([name, path]) => [name, valuesAt(response, path)[0]] as const,
    );
    this.#steps.set(step, { captured: Object.fromEntries(captured), response });
  }

  /**
   * Replaces the variables in all strings of a value. A string that consists of a single variable
   * is replaced with the value itself, which may have any type.
   */
  fill(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item: unknown) => this.fill(item));
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.fill(item)]));
    if (typeof value !== "string") return value;
    const [, single] = singleVariable.exec(value) ?? [];
    if (single !== undefined) return this.#find(single);
    return value.replaceAll(eachVariable, (_match, name: string) => {
      const found = this.#find(name);
      return typeof found === "string" ? found : JSON.stringify(found);
    });
  }

  #find(name: string, depth = 0): unknown {
    if (name === "$uuid") return crypto.randomUUID();
    const [first = "", ...rest] = name.split(".");
    const step = this.#steps.get(first);
    if (step !== undefined) {
      const found = this.#inStep(step, rest);
      if (found !== undefined) return found;
      throw new UnknownVariable(`the response of the step ${first} has no ${rest.join(".")}`);
    }
    if (first === "env") return this.#env[rest.join(".")] ?? unset(name);
    const value = this.#values[name];
    if (value === undefined) return unset(name);
    // The value of a document's variable may refer to another variable.
    const [, reference] = singleVariable.exec(value) ?? [];
    if (reference === undefined || depth > maxDepth) return value;
    return this.#find(reference, depth + 1);
  }

  #inStep(
    step: { readonly captured: Record<string, unknown>; readonly response: unknown },
    path: readonly string[],
  ): unknown {
    const [first = "", ...rest] = path;
    if (first === "response") return valuesAt(step.response, rest.join("."))[0];
    return Object.hasOwn(step.captured, first) ? step.captured[first] : undefined;
  }
}

/** Skips a test with a variable that the user has not set: the agent has not failed. */
function unset(name: string): never {
  const [, env] = /^env\.(.+)$/.exec(name) ?? [];
  const hint =
    env === undefined ? `add --variable ${name}=VALUE` : `set the environment variable ${env}`;
  throw new Inapplicable(`the variable ${name} has no value: ${hint}`);
}

/** Returns whether the condition of a repeated step is true. */
export function isTrue(condition: string, response: unknown): boolean {
  const [, path = "", operator = "", wanted = ""] =
    /^\s*(\S+)\s+(==|!=|in)\s+(.+?)\s*$/.exec(condition) ?? [];
  const [actual] = valuesAt(response, path);
  // `in` compares with a list such as `[a, b]`.
  const values = operator === "in" ? wanted.replace(/^\[|\]$/g, "").split(",") : [wanted];
  const unquoted = values.map((value) => value.trim().replace(/^(["'])(.*)\1$/, "$2"));
  return unquoted.includes(String(actual)) === (operator !== "!=");
}
