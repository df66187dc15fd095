import { describe, expect, it } from "vitest";
import { playTurn, turnFor } from "../../../../generated/1.0/kit/testing.js";
import { type Behavior, completed, json } from "../../../../generated/1.0/kit/index.js";
import {
  callTool,
  type McpWait,
  type ToolClient,
  type ToolOptions,
  type ToolParams,
} from "../../../../library/bridges/mcp-tools.js";

/** Returns an agent that calls a tool and ends with its result as data. */
function agentWith(client: ToolClient): Behavior<unknown, McpWait> {
  return {
    async *run(turn) {
      const { wait, ...called } = yield* callTool(client, "t", { a: 1 }, turn);
      return completed([{ data: json<object>(called) }], {
        ...(wait !== undefined && { state: wait }),
      });
    },
  };
}

/** Returns a client whose calls have these results, and the parameters of the calls. */
function returning(...results: readonly unknown[]) {
  const calls: ToolParams[] = [];
  const left = [...results];
  const client: ToolClient = {
    callTool(params) {
      calls.push(params);
      return Promise.resolve(left.shift());
    },
  };
  return { client, calls };
}

/** Returns a result that asks questions. */
function asking(inputRequests: unknown, requestState?: string): object {
  return { resultType: "input_required", inputRequests, requestState };
}

function form(properties: object): object {
  const requestedSchema = { type: "object", properties };
  return { method: "elicitation/create", params: { message: "?", requestedSchema } };
}

describe("a server that breaks the protocol", () => {
  it.each([
    [null, "it is not an object"],
    ["text", "it is not an object"],
    [{ content: "text" }, "content is not a list"],
    [{ content: [null] }, "content[0] is not a content block"],
    [
      {
        content: [
          { type: "text", text: "a" },
          { type: "video", data: "" },
        ],
      },
      "content[1] is not a content block",
    ],
    [{ content: [{ type: "text", text: 1 }] }, "content[0] is not a content block"],
    [{ content: [{ type: "resource" }] }, "content[0] is not a content block"],
    [{ content: [{ type: "resource", resource: {} }] }, "content[0] is not a content block"],
    [asking("text"), "inputRequests is not an object"],
    [asking({}), "it contains no question"],
    [
      asking({ a: { method: "sampling/createMessage", params: {} } }),
      "inputRequests.a is not a question that a caller can answer",
    ],
    [
      asking({ a: { method: "elicitation/create", params: { message: "?" } } }),
      "inputRequests.a is not a question that a caller can answer",
    ],
    ...["javascript:alert(1)", "file:///etc/passwd", "https:"].map((url): [object, string] => [
      asking({ a: { method: "elicitation/create", params: { message: "?", url } } }),
      "inputRequests.a is not a question that a caller can answer",
    ]),
  ])("the result %j fails the turn with a sentence for the operator", async (result, problem) => {
    const { client } = returning(result);
    await expect(playTurn(agentWith(client), turnFor())).rejects.toThrow(
      `The MCP tool t has returned an invalid result: ${problem}`,
    );
  });

  it("the turn ends although its client ignores the signal", async () => {
    const turn = turnFor<unknown, McpWait>();
    const client: ToolClient = {
      callTool() {
        turn.cancel();
        return new Promise(() => undefined);
      },
    };
    await expect(playTurn(agentWith(client), turn)).rejects.toThrow();
  });

  it("the call is canceled if its turn is left", async () => {
    let options: ToolOptions | undefined;
    const client: ToolClient = {
      callTool(_, given) {
        options = given;
        given.onprogress({ progress: 1 });
        return new Promise(() => undefined);
      },
    };
    const updates = callTool(client, "t", {}, turnFor());
    expect((await updates.next()).value).toMatchObject({ content: [{ text: "t: 1" }] });
    await updates.return(undefined as never);
    expect(options?.signal.aborted).toBe(true);
  });

  it("a flood of progress keeps the newest hundred messages", async () => {
    const client: ToolClient = {
      callTool(_, { onprogress }) {
        for (let progress = 1; progress <= 10_000; progress++) onprogress({ progress });
        return Promise.resolve({ content: [] });
      },
    };
    const { updates } = await playTurn(agentWith(client), turnFor());
    expect(updates).toHaveLength(100);
    expect(updates.at(-1)).toMatchObject({ content: [{ text: "t: 10000" }] });
  });
});

describe("an answer to a tool", () => {
  it("a question is answered under any id that a server chooses", async () => {
    const questions = JSON.parse(`{"__proto__":${JSON.stringify(form({ a: {} }))}}`) as object;
    const { client, calls } = returning(asking(questions), { content: [] });
    const { end } = await playTurn(agentWith(client), turnFor());
    const given = json<object>({ id: "__proto__", content: { a: 1 } });
    const turn = turnFor<unknown, McpWait>({ content: [{ data: given }], state: end.checkpoint });
    await playTurn(agentWith(client), turn);
    expect(Object.entries(calls.at(-1)?.inputResponses ?? {})).toEqual([
      ["__proto__", { action: "accept", content: { a: 1 } }],
    ]);
  });

  it("a server that puts a call off is called again with its state", async () => {
    const { client, calls } = returning(asking(undefined, "later"), { content: [] });
    const { end } = await playTurn(agentWith(client), turnFor());
    expect(end.content).toEqual([{ data: { parts: [], isError: false } }]);
    expect(calls).toEqual([
      { name: "t", arguments: { a: 1 } },
      { name: "t", arguments: { a: 1 }, requestState: "later" },
    ]);
  });

  it.each([
    [{ a: { type: "string" } }, "no", { a: "no" }],
    [{ a: { type: "string", enum: ["red", "blue"] } }, "Red", { a: "red" }],
    [{ a: { type: "string", enum: ["red", "blue"] } }, "green", undefined],
    [{ a: { type: "string", oneOf: [{ const: "r", title: "Red" }] } }, "red", { a: "r" }],
    [{ a: { type: "number" } }, "1.5", { a: 1.5 }],
    [{ a: { type: "integer" } }, "1.5", undefined],
    [{ a: { type: "number" } }, "many", undefined],
    [{ a: { type: "boolean" } }, "Yes", { a: true }],
    [{ a: { type: "boolean" } }, "no", { a: false }],
    [{ a: { type: "boolean" } }, "perhaps", undefined],
    [{ a: { type: "array" } }, "red", undefined],
    [{}, "go ahead", {}],
    [{ a: { type: "string" }, b: { type: "string" } }, "red", undefined],
  ])("in the form %j, the text %j means %j", async (properties, text, content) => {
    const first = returning(asking({ q: form(properties) }, "s"));
    const { end } = await playTurn(agentWith(first.client), turnFor());
    // A state is stored as JSON.
    const state = JSON.parse(JSON.stringify(end.checkpoint)) as McpWait;
    const { client, calls } = returning({ content: [] });
    const turn = turnFor<unknown, McpWait>({ content: text, state });
    const next = await playTurn(agentWith(client), turn);
    if (content === undefined) {
      expect(calls).toEqual([]);
      expect(next.end.checkpoint).toEqual(state);
    } else {
      const q = { action: "accept", content };
      expect(calls[0]).toMatchObject({ inputResponses: { q }, requestState: "s" });
    }
  });

  it("two questions are answered by their ids", async () => {
    const both = { q: form({ a: { type: "string" } }), r: form({ b: { type: "string" } }) };
    const first = returning(asking(both));
    const { end } = await playTurn(agentWith(first.client), turnFor());
    const state = end.checkpoint;
    const { client, calls } = returning({ content: [] });
    const again = turnFor<unknown, McpWait>({ content: "red", state });
    await playTurn(agentWith(client), again);
    expect(calls).toEqual([]);
    const content = [
      { data: { id: "r", content: { b: "2" } } },
      { data: { id: "q", action: "decline" } },
    ];
    await playTurn(agentWith(client), turnFor<unknown, McpWait>({ content, state }));
    expect(calls[0]?.inputResponses).toEqual({
      q: { action: "decline" },
      r: { action: "accept", content: { b: "2" } },
    });
  });
});
