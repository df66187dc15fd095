import { Client, credentials, Metadata, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { decodeStatus, type Codec, type Codecs } from "../../../templates/runtime/bindings/grpc/status.js";
import type { CoreParts } from "../../../templates/runtime/server/core.js";
import { grpcService } from "../../../templates/runtime/bindings/grpc/server.js";
import { NoteNotFoundError, operations, sampleCore, type Note, type NoteService } from "./server-sample.js";

/** Stands in for protobuf: JSON as bytes. */
const codec: Codec<unknown> = {
  encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
  decode: (bytes): unknown => JSON.parse(new TextDecoder().decode(bytes)),
};
const codecs: Codecs = Object.fromEntries(
  Object.values(operations).map(({ name }) => [name, { request: codec, response: codec }]),
);

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function connect(service: NoteService, parts: Partial<CoreParts> = {}): Promise<Client> {
  const server = new Server();
  const { definition, implementation } = grpcService(sampleCore(service, parts), codecs);
  server.addService(definition, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    const done = (error: Error | null, bound: number): void => (error === null ? resolve(bound) : reject(error));
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), done);
  });
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  stops.push(() => {
    client.close();
    server.forceShutdown();
  });
  return client;
}

const serialize = (value: unknown): Buffer => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const deserialize = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

interface Reply {
  readonly value?: unknown;
  readonly error?: ServiceError;
  readonly metadata: Metadata;
}

function unary(client: Client, path: string, request: unknown, metadata = new Metadata()): Promise<Reply> {
  return new Promise((resolve) => {
    let initial = new Metadata();
    client
      .makeUnaryRequest(path, serialize, deserialize, request, metadata, (error, value) =>
        resolve(error === null ? { value, metadata: initial } : { error, metadata: initial }),
      )
      .on("metadata", (received) => (initial = received));
  });
}

const note: Note = { id: "n1", text: "hello" };

describe("a unary call over gRPC", () => {
  it("gives its response, and the extensions in use as initial metadata", async () => {
    const client = await connect({
      getNote(request, context) {
        context.activateExtension("urn:x");
        return { id: request.id, text: `${context.binding} ${context.headers.get("Notes-Extensions")}` };
      },
    });
    const metadata = new Metadata();
    metadata.add("notes-extensions", "urn:x");
    metadata.add("notes-extensions", "urn:y");
    const reply = await unary(client, operations.getNote.grpc, { id: "n1" }, metadata);
    expect(reply.value).toEqual({ id: "n1", text: "GRPC urn:x, urn:y" });
    expect(reply.metadata.get("notes-extensions")).toEqual(["urn:x"]);
  });

  it("gives errors with their details in the trailers", async () => {
    const client = await connect({
      getNote: () => {
        throw new NoteNotFoundError("no note \ud800", { metadata: { id: "n1" } });
      },
    });
    const { error } = await unary(client, operations.getNote.grpc, { id: "n1" });
    expect(error).toMatchObject({ code: 5, details: "no note \ufffd" });
    const [bytes] = error?.metadata.get("grpc-status-details-bin") ?? [];
    expect(decodeStatus(bytes as Buffer)).toMatchObject({
      code: 5,
      details: [{ reason: "NOTE_NOT_FOUND", domain: "notes.example", metadata: { id: "n1" } }],
    });
  });
});

describe("calls that send a stream over gRPC", () => {
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

  it("give one response", async () => {
    const client = await connect(service);
    const join = (...notes: unknown[]): Promise<unknown> =>
      new Promise((resolve) => {
        const call = client.makeClientStreamRequest(operations.joinNotes.grpc, serialize, deserialize, (error, value) =>
          resolve(error ?? value),
        );
        for (const item of notes) call.write(item);
        call.end();
      });
    expect(await join(note, note)).toEqual({ id: "all", text: "hellohello" });
    expect(await join(note, { id: 1 })).toMatchObject({ code: 3 });
    expect(await join(note, "{")).toMatchObject({ code: 3 });
  });

  it("give a response while requests still come", async () => {
    const client = await connect(service);
    const call = client.makeBidiStreamRequest(operations.mirrorNotes.grpc, serialize, deserialize);
    call.write(note);
    expect((await once(call, "data"))[0]).toEqual({ id: "n1", text: "HELLO" });
    call.write({ id: "n2", text: "ab" });
    expect((await once(call, "data"))[0]).toEqual({ id: "n2", text: "AB" });
    call.end();
    await once(call, "end");
  });
});
