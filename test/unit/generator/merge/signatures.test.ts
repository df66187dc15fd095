import { beforeAll, describe, expect, it } from "vitest";
import { Workspace } from "./merging.js";

let [now, before]: Workspace[] = [];

beforeAll(async () => {
  now = await Workspace.of("merge-signatures", "1.0");
  before = await Workspace.of("merge-signatures-0.3", "0.3.0");
});

/** Merges an object with these members, which has every operation that is known. */
function changes(members: string, space: Workspace | undefined = now, statements = "") {
  if (space === undefined) throw new Error("nothing was generated");
  const imports = `import type { A2AService, CancelTaskRequest, GetTaskRequest, Message, Task } from "./a2a/index.js";`;
  const text = `${imports}\n${statements}\nexport const service: A2AService = {\n${members}\n};\n`;
  return space.merge(text, { known: space.methods }).changed;
}

describe("an incompatible signature", () => {
  const expected: readonly (readonly [string, string, object])[] = [
    [
      "another request",
      "getTask(r: CancelTaskRequest): Task {}",
      { part: "request", expected: "GetTaskRequest" },
    ],
    ["another response", "getTask(r): Promise<Message> {}", { part: "response", expected: "Task" }],
    [
      "nothing as its response",
      "getTask: async (r): Promise<void> => {}",
      { part: "response", expected: "Task" },
    ],
    ["a stream of requests", "getTask(r: AsyncIterable<GetTaskRequest>) {}", { part: "request" }],
    ["a stream of responses", "async *getTask(r) {}", { part: "response", found: "a stream" }],
    [
      "one response for a stream",
      "async sendStreamingMessage(r) {}",
      { part: "response", found: "a promise" },
    ],
  ];

  it.each(expected)("with %s", (_, member, difference) => {
    expect(changes(`  ${member},`)).toMatchObject([
      { line: 4, column: member.search(/\w+[(:]/) + 3, ...difference },
    ]);
  });

  it("a signature is reported if the function is declared elsewhere, or used through an alias", () => {
    const statements = "type Given = CancelTaskRequest; function getTask(r: Given): Task {}";
    expect(changes("  getTask,", now, statements)).toMatchObject([
      { method: "getTask", found: "Given" },
    ]);
  });
});

describe("a compatible signature", () => {
  it.each([
    ["without types", "getTask(request) {}"],
    ["with types of the user", "getTask(request: { id: string }): Promise<{ id: string }> {}"],
    ["with the types of the service", "async getTask(r: GetTaskRequest): Promise<Task> {}"],
    ["one that may return either form", "getTask(r: GetTaskRequest): Task | Promise<Task> {}"],
    ["one that never returns", "getTask(r: GetTaskRequest): never {}"],
    ["one that accepts more", "getTask(r: GetTaskRequest | CancelTaskRequest): Task {}"],
    ["of a generator", "async *sendStreamingMessage(r) {}"],
    ["of a function that may return a stream", "sendStreamingMessage(r) { return stream(); }"],
    ["with an indexed access type", 'getTask: (r: Parameters<A2AService["getTask"]>[0]) => task'],
  ])("a signature is not reported if it is %s", (_, member) => {
    expect(changes(`  ${member},`)).toEqual([]);
  });

  it("a signature is not reported if it has a member of the union that the service requires", () => {
    expect(changes("  sendMessage(r): Promise<Message> {},", before)).toEqual([]);
    expect(changes("  sendMessage(r): Promise<Message> {},", now)).toMatchObject([
      { part: "response" },
    ]);
  });

  it("a signature is not reported if one of several overloads fits", () => {
    const text = `import type { A2AService, CancelTaskRequest, GetTaskRequest, Task } from "./a2a/index.js";
class Agent implements A2AService {
  getTask(request: CancelTaskRequest): Task;
  getTask(request: GetTaskRequest): Task;
  getTask(request: { id: string }): Task {}
}`;
    expect(now?.merge(text, { known: now.methods }).changed).toEqual([]);
  });
});
