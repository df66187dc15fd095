import { describe, expect, it } from "vitest";
import { jsonRpcHandler } from "../../../templates/runtime/bindings/jsonrpc/server.js";
import { errorWriter } from "../../../templates/runtime/protocol/error-plain.js";
import type { AdapterFactory, VersionAdapter } from "../../../templates/runtime/server/adapter.js";
import { cardHandler } from "../../../templates/runtime/server/card.js";
import { errors, eventsOf, httpRequest, jsonOf, sampleCore, type Note, type NoteService } from "./server-sample.js";

/** Speaks version 1.0 of the notes, in which a note is called a memo, and its text its words. */
const memos: VersionAdapter = {
  versionOf: (named) => (named === "1.0" ? named : undefined),
  method: (name) =>
    name === "memo/get"
      ? { method: "GetNote" }
      : name === "memo/watch"
        ? { method: "WatchNote" }
        : name === "memo/burn"
          ? { method: "DeleteNote", problem: "memo/burn asks for a match" }
          : undefined,
  request: (_, request, calledAs) => ({ id: `${calledAs}:${(request as { memo: string }).memo}` }),
  response: (_, response) => ({ words: (response as Note).text }),
  event: (operation, event) => ({ words: (event as Note).text, of: operation.name }),
  errorWriter,
  card: (card) => ({ memos: true, ...card }),
};

const service: NoteService = {
  getNote: ({ id = "" }, { version }) => ({ id, text: `${id} in ${version}` }),
  async *watchNote({ id = "" }) {
    yield { id, text: "first" };
    throw new errors.permissionDenied("enough");
  },
};

const hosts: Parameters<AdapterFactory>[0][] = [];
const core = sampleCore(service, { adapters: [(host) => (hosts.push(host), memos)], options: { versions: ["2.2"] } });

async function call(method: string, version: string, params: unknown = { memo: "m" }): Promise<unknown> {
  const body = { jsonrpc: "2.0", id: 1, method, params };
  const response = await jsonRpcHandler(core)(httpRequest("POST", "/", body, { "Notes-Version": version }));
  return typeof response?.body === "string" ? jsonOf(response) : eventsOf(response);
}

describe("a version adapter", () => {
  it("knows the agent that it works for", () => {
    expect(hosts).toMatchObject([{ protocol: { version: "2.1" }, versions: ["2.1", "2.2"] }]);
  });

  it("reads the method and the request of its version, and writes the response", async () => {
    expect(await call("memo/get", "1.0")).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { words: "memo/get:m in 1.0" },
    });
  });

  it("writes events and the error at the end of a stream", async () => {
    expect(await call("memo/watch", "1.0.3")).toMatchObject([
      { result: { words: "first", of: "WatchNote" } },
      { error: { message: "enough" } },
    ]);
  });

  it("writes errors, also of calls that are refused", async () => {
    const { error } = (await call("memo/get", "1.0", [])) as { error: object };
    expect(error).not.toHaveProperty("data.0.reason");
    expect(await call("memo/burn", "1.0")).toMatchObject({
      error: { code: -32601, message: "memo/burn asks for a match" },
    });
  });

  it("leaves calls of the agent's own version alone", async () => {
    expect(await call("GetNote", "2.1", { id: "n" })).toMatchObject({ result: { id: "n", text: "n in 2.1" } });
    expect(await call("memo/get", "2.1")).toMatchObject({ error: { code: -32601 } });
  });

  it("does not take versions that it does not speak: its methods lead to the error for the version", async () => {
    expect(await call("memo/get", "7.0")).toMatchObject({ error: { code: -32009 } });
    expect(await call("memo/nothing", "7.0")).toMatchObject({ error: { code: -32601 } });
  });

  it("shows the card to callers of its version", async () => {
    const cardOf = async (headers: Record<string, string>): Promise<unknown> =>
      jsonOf(await cardHandler(core)(httpRequest("GET", "/.well-known/notes.json", undefined, headers)));
    expect(await cardOf({ "Notes-Version": "1.0" })).toHaveProperty("memos");
    expect(await cardOf({})).not.toHaveProperty("memos");
  });
});
