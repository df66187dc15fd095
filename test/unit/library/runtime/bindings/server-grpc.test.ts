import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { grpcService } from "../../../../../library/runtime/bindings/grpc/server.js";
import { codecsOf, grpcServers } from "../protocol/sample-grpc.js";
import { operations, sampleCore, type Note, type NoteService } from "../server/server-sample.js";

const codecs = codecsOf(Object.values(operations));

type Serve = (typeof grpcServers)[number][1];

async function connect(serve: Serve, service: NoteService) {
  const address = await serve(sampleCore(service), codecs);
  const client = new Client(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  return client;
}

const serialize = (value: unknown): Buffer =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const deserialize = (bytes: Buffer): unknown => JSON.parse(bytes.toString());
const note: Note = { id: "n1", text: "hello" };

describe.each(grpcServers)("a server over gRPC on %s", (_, serve) => {
  it("the server reads repeated metadata, and returns the active extensions as initial metadata", async () => {
    const client = await connect(serve, {
      getNote(request, context) {
        context.activateExtension("urn:x");
        return {
          id: request.id,
          text: `${context.binding} ${context.headers.get("Notes-Extensions")}`,
        };
      },
    });
    const metadata = new Metadata();
    metadata.add("notes-extensions", "urn:x");
    metadata.add("notes-extensions", "urn:y");
    const replies: unknown[] = [];
    const call = client.makeUnaryRequest(
      operations.getNote.grpc,
      serialize,
      deserialize,
      note,
      metadata,
      (_error, value) => replies.push(value),
    );
    const [initial] = (await once(call, "metadata")) as [Metadata];
    await once(call, "status");
    expect(replies).toEqual([{ id: "n1", text: "GRPC urn:x, urn:y" }]);
    expect(initial.get("notes-extensions")).toEqual(["urn:x"]);
  });

  it("the server reads a 0 outside of a range as the default, because some clients always send it", async () => {
    const seen: unknown[] = [];
    const service: NoteService = { getNote: (request) => (seen.push(request), note) };
    const ranges = [{ path: ["limit"], least: 1, most: 9 }, { path: ["filter", "size"], least: 1 }]; // prettier-ignore
    const core = sampleCore(service, { operations: [{ ...operations.getNote, ranges }] });
    const client = new Client(await serve(core, codecs), credentials.createInsecure());
    onTestFinished(() => client.close());
    const call = (request: object) =>
      new Promise<unknown>((resolve) => {
        client.makeUnaryRequest(
          operations.getNote.grpc,
          serialize,
          deserialize,
          request,
          (error) => {
            resolve(error?.code);
          },
        );
      });
    expect(await call({ id: "n1", limit: 0 })).toBeUndefined();
    expect(await call({ id: "n1", limit: 10 })).toBe(3);
    expect(seen).toEqual([{ id: "n1" }]);
  });
});

describe("the service for @grpc/grpc-js", () => {
  it("the server omits operations without a path, even with a codec", () => {
    const { grpc: path, ...withoutPath } = operations.getNote;
    expect(path).toBeDefined();
    const core = sampleCore({}, { operations: [withoutPath, operations.addNote] });
    expect(Object.keys(grpcService(core, codecs).definition)).toEqual(["AddNote"]);
  });
});

describe.each(grpcServers)("a server on %s that receives a stream over gRPC", (_, serve) => {
  const service: NoteService = {
    async joinNotes(notes: AsyncIterable<Note>) {
      let text = "";
      for await (const item of notes) text += item.text;
      return { id: "all", text };
    },
    async *mirrorNotes(notes: AsyncIterable<Note>) {
      for await (const item of notes) yield { ...item, text: item.text.toUpperCase() };
    },
  };

  it("the server returns one response, and refuses an invalid request of the stream", async () => {
    const client = await connect(serve, service);
    const join = (...notes: unknown[]) =>
      new Promise((resolve) => {
        const call = client.makeClientStreamRequest(
          operations.joinNotes.grpc,
          serialize,
          deserialize,
          (error, value) => resolve(error ?? value),
        );
        for (const item of notes) call.write(item);
        call.end();
      });
    expect(await join(note, note)).toEqual({ id: "all", text: "hellohello" });
    expect(await join(note, { id: 1 })).toMatchObject({ code: 3 });
    expect(await join(note, "{")).toMatchObject({ code: 3 });
  });

  it("the server returns a response while requests still arrive", async () => {
    const client = await connect(serve, service);
    const call = client.makeBidiStreamRequest(operations.mirrorNotes.grpc, serialize, deserialize);
    call.write(note);
    expect((await once(call, "data"))[0]).toEqual({ id: "n1", text: "HELLO" });
    call.write({ id: "n2", text: "ab" });
    expect((await once(call, "data"))[0]).toEqual({ id: "n2", text: "AB" });
    call.end();
    await once(call, "end");
  });
});
