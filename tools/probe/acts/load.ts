import { dirname, resolve } from "node:path";
import type { Type } from "a2a-codegen-runtime/internal/schema";
import {
  AgentCardSchema,
  ListTaskPushNotificationConfigsResponseSchema,
  ListTasksResponseSchema,
  SendMessageResponseSchema,
  TaskPushNotificationConfigSchema,
  TaskSchema,
} from "../../../generated/1.0/validators.js";
import { readTextFile } from "../../../support/read-text-file.js";
import { parseYaml } from "../../../support/yaml.js";
import { InputError, reasonOf } from "../../../support/diagnostics.js";
import { isObject } from "../../agents/findings.js";
import { levels } from "../rule.js";
import type { ActsDocument, Suite } from "./format.js";

/** Maximum size of a file with suites in bytes. */
const maxFileBytes = 4 * 2 ** 20;

/** Maximum number of files that a suite may include, directly and indirectly. */
const maxFiles = 200;

/** Types of the results of operations. */
const results: readonly Type<unknown>[] = [
  ...[AgentCardSchema, ListTasksResponseSchema, SendMessageResponseSchema, TaskSchema],
  ...[ListTaskPushNotificationConfigsResponseSchema, TaskPushNotificationConfigSchema],
];

const actions = ["operation", "raw", "client_response", "assertion"];

/**
 * Reads files with test suites, and the files that they include.
 *
 * @throws {InputError} if a file cannot be read, is not YAML, or is not in the ACTS format
 */
export function loadSuites(files: readonly string[], cwd: string): ActsDocument[] {
  const pending = files.map((file) => resolve(cwd, file));
  const seen = new Set<string>();
  const documents: ActsDocument[] = [];
  // The loop also reaches the paths that it adds.
  for (const path of pending) {
    if (seen.has(path)) continue;
    seen.add(path);
    if (seen.size > maxFiles)
      throw suiteError(path, `more than ${maxFiles} files are included`, "Remove some of them");
    const root = readMap(path);
    const folder = dirname(path);
    pending.push(...textsIn(root["include"]).map((name) => resolve(folder, name)));
    documents.push(documentOf(root, path));
  }
  checkIds(documents);
  return documents;
}

function suiteError(file: string, message: string, hint: string): InputError {
  return new InputError({ location: { file }, message, hint });
}

function readMap(path: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readTextFile(path, maxFileBytes);
  } catch (error) {
    throw suiteError(path, `the suite cannot be read: ${reasonOf(error)}`, "Check the path");
  }
  const { value, errors } = parseYaml(text);
  const [error] = errors;
  if (error !== undefined)
    throw suiteError(path, `the suite is not YAML: ${error.message}`, "Correct the file");
  if (!isObject(value))
    throw suiteError(path, "the suite is not a map", "Check that the file is in the ACTS format");
  return value;
}

function documentOf(root: Readonly<Record<string, unknown>>, file: string): ActsDocument {
  // YAML reads a version without quotes as a number.
  const actsVersion = String(root["acts_version"]);
  const specVersion = String(root["spec_version"]);
  if (!/^[01](?:\.|$)/.test(actsVersion))
    throw suiteError(
      file,
      `acts_version must be 0.x or 1.x, got ${actsVersion}`,
      "Use a suite of a supported version",
    );
  if (!/^\d+\.\d+/.test(specVersion))
    throw suiteError(file, "spec_version must be a version of A2A", 'Add spec_version: "1.0"');
  const suites: unknown[] = Array.isArray(root["suites"]) ? root["suites"] : [];
  if (suites.length === 0 && textsIn(root["include"]).length === 0)
    throw suiteError(file, "the file has no suites", "Add suites or include");
  for (const suite of suites) checkSuite(suite, file);
  const variables = isObject(root["variables"]) ? root["variables"] : {};
  const texts = Object.entries(variables).map(([name, value]) => [name, String(value)] as const);
  return {
    file,
    actsVersion,
    specVersion,
    variables: Object.fromEntries(texts),
    // The checks above have established the type.
    suites: suites as Suite[],
  };
}

function checkSuite(suite: unknown, file: string): void {
  const tests = isObject(suite) ? suite["tests"] : undefined;
  if (!isObject(suite) || typeof suite["id"] !== "string" || !Array.isArray(tests))
    throw suiteError(
      file,
      "a suite has no id or no tests",
      "Check that the file is in the ACTS format",
    );
  for (const test of tests as unknown[]) checkTest(test, file);
}

function checkTest(test: unknown, file: string): void {
  const id = isObject(test) && typeof test["id"] === "string" ? test["id"] : "";
  if (!isObject(test) || id === "") throw suiteError(file, "a test has no id", "Add an id");
  if (!levels.some((level) => level === test["level"]))
    throw suiteError(file, `the level of ${id} must be must, should or may`, "Correct the level");
  const steps: unknown[] = Array.isArray(test["steps"]) ? test["steps"] : [];
  if (steps.length === 0) throw suiteError(file, `${id} has no steps`, "Add a step");
  for (const step of steps) {
    const isStep =
      isObject(step) &&
      typeof step["id"] === "string" &&
      actions.filter((name) => name in step).length === 1;
    if (!isStep)
      throw suiteError(
        file,
        `a step of ${id} must have an id and one of ${actions.join(", ")}`,
        "Correct the step",
      );
    checkExpect(step, id, file);
  }
}

/**
 * Refuses members of `expect` that the format does not define. A step with an operation may name
 * members of its result.
 */
function checkExpect(step: Readonly<Record<string, unknown>>, id: string, file: string): void {
  const names = isObject(step["expect"]) ? Object.keys(step["expect"]) : [];
  const unknown = names.find(
    (name) => !["status", "body"].includes(name) && ("raw" in step || !isInResult(name)),
  );
  if (unknown !== undefined)
    throw suiteError(
      file,
      `expect.${unknown} in a step of ${id} is unknown`,
      "Use expect.status or expect.body",
    );
}

function isInResult(name: string): boolean {
  return name === "error" || results.some((type) => type.field?.(name) !== undefined);
}

function checkIds(documents: readonly ActsDocument[]): void {
  const seen = new Set<string>();
  for (const { file, suites } of documents)
    for (const { id } of suites.flatMap(({ tests }) => tests)) {
      if (seen.has(id)) throw suiteError(file, `two tests have the id ${id}`, "Rename one of them");
      seen.add(id);
    }
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((item): item is string => typeof item === "string")
    : [];
}
