import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../../../support/package-folder.js";
import type { SpecSource } from "../../../../../generator/input/source.js";
import { findSource } from "../../../../support/output.js";
import { messageOf, problemsOf, readSource, type Cases } from "../proto/reading.js";

const base = readFileSync(join(packageFolder, "spec", "1.0", "manifest.yaml"), "utf8");
const proto = readFileSync(join(packageFolder, "spec", "1.0", "a2a.proto"), "utf8");

/** The proto of 1.0, or another one, with its manifest and another one over it. */
function over(manifest: string, text = proto): SpecSource {
  return {
    title: "test",
    proto: { file: "a2a.proto", text },
    manifests: [
      { file: "base.yaml", text: base },
      { file: "m.yaml", text: manifest },
    ],
    docs: [],
    borrowed: false,
    readImport: () => undefined,
  };
}

const bindingOf = (source: SpecSource) => {
  const { binding } = readSource(source);
  if (binding === undefined) throw new Error("There is no binding");
  return binding;
};
const errorOf = (source: SpecSource, name: string) =>
  bindingOf(source).errors.find((error) => error.name === name);

describe("a manifest", () => {
  it("a manifest contains the differences of 1.0.0 from 1.0.1 and keeps the rest", () => {
    const [older, newer] = [findSource("1.0.0"), findSource("1.0")];
    expect(bindingOf(older).version).toBe("1.0.0");
    expect(bindingOf(older).mediaTypes.http).toBe("application/json");
    expect(bindingOf(newer).mediaTypes.http).toBe("application/a2a+json");
    expect(errorOf(older, "TaskNotCancelableError")).toMatchObject({ jsonRpc: -32002, http: 409 });
    expect(errorOf(newer, "TaskNotCancelableError")).toMatchObject({ jsonRpc: -32002, http: 400 });
    expect(readSource(older).operations).toEqual(readSource(newer).operations);
  });

  it("a manifest overrides single values of the manifest that it extends", () => {
    expect(
      errorOf(over("errors: { TaskNotFoundError: { http: 410 } }"), "TaskNotFoundError"),
    ).toMatchObject({
      jsonRpc: -32001,
      http: 410,
      grpc: "NOT_FOUND",
    });
    expect(bindingOf(over("card: { path: /other }")).card).toMatchObject({
      type: "AgentCard",
      path: "/other",
    });
  });

  it("a manifest may inherit names that its specification does not have, but may not add them", () => {
    const fewer = proto.replace(/rpc CancelTask.*?\n {2}\}\n/s, "");
    const { operations } = readSource(over("version: 1.0.1", fewer));
    expect(operations.map(({ name }) => name)).not.toContain("CancelTask");
    expect(operations.length).toBe(readSource(over("version: 1.0.1")).operations.length - 1);
    expect(problemsOf(over("operations: { CancelTask: { jsonRpc: Stop } }", fewer))).toEqual([
      'm.yaml:1:27: the specification has no operation "CancelTask". Remove it, or correct the name.',
    ]);
  });

  it("a manifest adds errors whose reason is derived from the name", () => {
    const source = over(
      'errors: { OutOfTeaError: { jsonRpc: -32050, http: 418, grpc: ABORTED, message: "No `tea`" } }',
    );
    expect(errorOf(source, "OutOfTeaError")).toMatchObject({
      reason: "OUT_OF_TEA",
      docs: "No `tea`",
    });
  });

  it("a manifest renames types", () => {
    expect(messageOf(readSource(over("names: { lf.a2a.v1.Task: Job }")), "Job").fullName).toBe(
      "lf.a2a.v1.Task",
    );
  });

  it("a manifest determines which oneofs are required and which required lists may be empty", () => {
    const protocol = readSource(over("maybeEmpty: []\nrequiredOneofs: []"));
    expect(messageOf(protocol, "Part").oneofs[0]?.required).toBe(false);
    expect(
      messageOf(protocol, "ListTasksResponse").fields.find(({ name }) => name === "tasks")
        ?.nonEmpty,
    ).toBe(true);
    expect(messageOf(readSource(over("version: 1.0.1")), "Part").oneofs[0]?.required).toBe(true);
  });
});

const correct = "Remove it, or correct the name.";

const cases: Cases = {
  "nope: 1":
    'm.yaml:1:7: "nope" is not a key of a manifest. Remove it; spec/manifest.schema.json lists the keys.',
  "errors:\n  TaskNotFoundError:\n    htp: 404":
    'm.yaml:3:10: "errors.TaskNotFoundError.htp" is not a key of a manifest. Did you mean http? Remove it; spec/manifest.schema.json lists the keys.',
  "operations:\n  GetTask: { demands: [id] }":
    'm.yaml:2:23: "operations.GetTask.demands" is not a key of a manifest. Rename it to "nonEmpty".',
  "operations:\n  GetTask: { fallbackVerbs: [POST] }":
    'm.yaml:2:29: "operations.GetTask.fallbackVerbs" is not a key of a manifest. Rename it to "fallbackMethods".',
  "__proto__: { a: 1 }":
    'm.yaml:1:12: "__proto__" is not a key of a manifest. Remove it; spec/manifest.schema.json lists the keys.',
  "errors:\n  OtherError: { jsonRpc: -32001, http: 404, grpc: NOT_FOUND }":
    "m.yaml:2:15: OtherError has the same code -32001 as TaskNotFoundError. Use a different code for each error.",
  "errors: { OtherError: { http: 200 } }":
    'm.yaml:1:31: "errors.OtherError.http" must be at least 400. Correct it.',
  "version: 1.0":
    'm.yaml:1:10: "version" must be a string. It specifies the version of the specification.',
  "- a":
    "m.yaml:1:1: the manifest must be an object. It specifies facts about a version of A2A that its proto and its JSON Schema do not contain: names on JSON-RPC, errors and their codes, headers, discovery, and how proto and schema correspond.",
  "errors: { OtherError: { jsonRpc: -32050 } }":
    "m.yaml:1:23: OtherError requires http and grpc. Add them under errors.OtherError.",
  "capabilities: { other: { path: [name] } }":
    'm.yaml:1:24: the manifest requires "capabilities.other.error". Add it.',
  "version: 1.0.1\nversion: 1.0.2":
    "m.yaml:2:1: the manifest is not valid YAML: Map keys must be unique. Correct it.",
  "version: [1\n":
    "m.yaml:2:1: the manifest is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]. Correct it.",
  "card:\n\tpath: /x":
    "m.yaml:2:1: the manifest is not valid YAML: Tabs are not allowed as indentation. Correct it.",
  "version: *x":
    "m.yaml: the manifest is not valid YAML: Unresolved alias (the anchor must be set before the alias): x. Correct it.",
  "operations:\n  Nope: { jsonRpc: Nope }": `m.yaml:2:9: the specification has no operation "Nope". ${correct}`,
  "operations:\n  GetTask: { jsonRpc: SendMessage }":
    'm.yaml:2:23: GetTask has the same JSON-RPC method "SendMessage" as SendMessage. Use a different method for each operation.',
  "errorRoles: { parse: NopeError }":
    'm.yaml:1:22: "NopeError" is not an error of this manifest. Add it under "errors", or correct the name.',
  "operations: { GetTask: { requires: constructor } }":
    'm.yaml:1:36: "constructor" is not a capability of this manifest. Add it under "capabilities", or correct the name.',
  "operations:\n  GetTask:\n    errors:\n      TaskNotFondError: the task is unknown":
    'm.yaml:4:25: "TaskNotFondError" is not an error of this manifest. Add it under "errors", or correct the name.',
  "operations: { GetTask: { missing: toString } }":
    'm.yaml:1:35: "toString" is not an error of this manifest. Add it under "errors", or correct the name.',
  "card: { type: Nope }": `m.yaml:1:15: the specification has no message "Nope". ${correct}`,
  "card: { interfaces: { list: nope } }": `m.yaml:1:29: the specification has no field "nope" in lf.a2a.v1.AgentCard. ${correct}`,
  "card: { interfaces: { url: nope } }": `m.yaml:1:28: the specification has no field "nope" in lf.a2a.v1.AgentInterface. ${correct}`,
  "capabilities: { streaming: { path: [capabilities, nope], error: InternalError } }": `m.yaml:1:36: the specification has no field "nope" in lf.a2a.v1.AgentCapabilities. ${correct}`,
  "requiredOneofs: [Part.content, Part.nope]": `m.yaml:1:32: the specification has no oneof "Part.nope". ${correct}`,
  "maybeEmpty: [Task.status]": `m.yaml:1:14: the specification has no list, string, number or boolean "Task.status". ${correct}`,
  "names: { Task: Job }":
    'm.yaml:1:16: the specification has no message or enum "Task". Use the full name including the package, or the path in the schema.',
  "webhook: Nope": `m.yaml:1:10: the specification has no type "Nope". ${correct}`,
  "tenant: nope": `m.yaml:1:9: the specification has no request with a field "nope". ${correct}`,
  'names: { lf.a2a.v1.Task: "a b" }':
    'm.yaml:1:26: "names.lf.a2a.v1.Task" must match the pattern ^[A-Za-z_$][\\w$]*$. Correct it.',
  'legacy: { errors: { "x } from y; z(); export { A as B": { now: TaskNotFoundError, since: 1.0.0 } } }':
    'm.yaml:1:57: "legacy.errors.x } from y; z(); export { A as B" is not a valid name. Use letters, digits, $ and _, and do not start with a digit.',
  'legacy: { types: { "a.b": { now: Task, since: 1.0.0 } } }':
    'm.yaml:1:27: "legacy.types.a.b" is not a valid name. Use letters, digits, $ and _, and do not start with a digit.',
  "legacy:\n  methods:\n    a/b:\n      nope: 1":
    'm.yaml:4:13: "legacy.methods.a/b.nope" is not a key of a manifest. Did you mean note? Remove it; spec/manifest.schema.json lists the keys.',
  'errors: { "No Class": { http: 404, grpc: NOT_FOUND } }':
    'm.yaml:1:23: the error "No Class" has a name that is reserved in the output. Rename the error.',
  "errors: { Error: { http: 404, grpc: NOT_FOUND } }":
    'm.yaml:1:18: the error "Error" has a name that is reserved in the output. Rename the error.',
  "errors: { Task: { http: 404, grpc: NOT_FOUND } }":
    'm.yaml:1:17: the error "Task" has the same name as lf.a2a.v1.Task. Rename the error.',
};

describe("a manifest with a mistake", () => {
  it.each(Object.entries(cases))(
    "a mistake is reported in one line with location and hint: %j",
    (manifest, problem) => {
      // The test is not about the mistakes that this causes in the base manifest.
      expect(problemsOf(over(manifest)).filter((line) => !line.startsWith("base.yaml"))).toEqual([
        problem,
      ]);
    },
  );

  it("the error for an unknown gRPC status lists the known statuses", () => {
    const [problem = ""] = problemsOf(over("errors: { TaskNotFoundError: { grpc: NOPE } }"));
    expect(problem).toContain(
      'm.yaml:1:38: "errors.TaskNotFoundError.grpc" must be "CANCELLED", "UNKNOWN", ',
    );
  });

  it("the error for an incomplete manifest lists the missing keys", () => {
    const source = { ...over(""), manifests: [{ file: "m.yaml", text: "version: 1.0.1" }] };
    expect(problemsOf(source)).toEqual([
      "m.yaml:1:1: the manifest requires wireVersion, mediaTypes, bindings, errorRoles. Add the missing keys; spec/1.0/manifest.yaml is an example.",
    ]);
  });

  it.each([
    "names: { lf.a2a.v1.Task: Job }",
    "keys: { TaskState.TASK_STATE_WORKING: Busy }",
    "enumAliases: { TaskState: { busy: TASK_STATE_WORKING } }",
    "requiredOneofs: [Part.content]",
    "maybeEmpty: [Message.parts]",
    "operations: { GetTask: { method: fetchTask } }",
    "legacy: { types: { Job: { now: Task, since: 1.0.0 } } }",
  ])("a manifest that only contains %s is complete", (text) => {
    const source = { ...over(""), manifests: [{ file: "m.yaml", text }] };
    expect(readSource(source).binding).toBeUndefined();
    const errors = `${text}\nerrors: { OutOfTeaError: { http: 418, grpc: ABORTED } }`;
    expect(problemsOf({ ...source, manifests: [{ file: "m.yaml", text: errors }] })).toEqual([
      expect.stringMatching(/^m\.yaml:1:1: the manifest requires version, /) as string,
    ]);
  });

  it("errors of services have different gRPC statuses, unless responses contain their reasons", () => {
    const services = readFileSync(join(packageFolder, "spec", "common", "services.yaml"), "utf8");
    const outOfTea = "errors: { OutOfTeaError: { http: 409, grpc: ABORTED } }";
    const reading = (text: string): SpecSource => ({
      ...over("", 'syntax = "proto3"; message A {} service S { rpc B(A) returns (A); }'),
      manifests: [
        { file: "base.yaml", text: services },
        { file: "m.yaml", text },
      ],
    });
    expect(problemsOf(reading(outOfTea))).toEqual([
      'm.yaml:1:26: OutOfTeaError has the same gRPC status ABORTED as AbortedError. Set "errorDomain", so that responses contain the reason of an error, or use a different status.',
    ]);
    expect(problemsOf(reading(`${outOfTea}\nerrorDomain: tea.example`))).toEqual([]);
  });

  it("a manifest with exponential aliases is refused", () => {
    const level = (name: string, of: string) =>
      `${name}: &${name} [${Array(9).fill(of).join(",")}]`;
    const bomb = [
      level("a", "x"),
      level("b", "*a"),
      level("c", "*b"),
      level("d", "*c"),
      level("e", "*d"),
      "f: [*e, *e]",
    ];
    expect(problemsOf(over(bomb.join("\n")))).toHaveLength(1);
  });
});
