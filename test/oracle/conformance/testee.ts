import { readSync, writeSync } from "node:fs";

/** The functions of generated modules, by their names. */
export type Functions = Readonly<Record<string, unknown>>;

/**
 * Generated modules: the codec of the protocol that the runner speaks, and codec and index of what
 * is tested.
 */
export interface Modules {
  readonly protocol: Functions;
  readonly codec: Functions;
  readonly tested: Functions;
}

interface Request {
  readonly protobufPayload?: string;
  readonly jsonPayload?: string;
  readonly requestedOutputFormat?: string;
  readonly messageType?: string;
}

const prefix = "protobuf_test_messages.proto3.";

/**
 * Responds to the requests that the runner of the conformance suite writes to stdin until it closes
 * stdin. Each request is a length of four bytes and a message. Messages of files other than the
 * proto3 file, and formats other than bytes and JSON, are skipped.
 */
export function serve(modules: Modules): void {
  const decode = find(modules.protocol, "decodeConformanceRequest");
  const encode = find(modules.protocol, "encodeConformanceResponse");
  for (let length = read(4); length !== undefined; length = read(4)) {
    const bytes = read(length.readUInt32LE());
    if (bytes === undefined) throw new Error("The request ends early");
    const response = encode(answer(decode(bytes) as Request, modules)) as Uint8Array;
    const head = Buffer.alloc(4);
    head.writeUInt32LE(response.length);
    write(Buffer.concat([head, response]));
  }
}

/** Gives a function of a generated module. */
function find(functions: Functions, name: string) {
  const found = functions[name];
  if (typeof found !== "function") throw new Error(`Missing: ${name}`);
  return found as (...given: readonly unknown[]) => unknown;
}

/** The response for the runner: the message in the other format, or the reason of the failure. */
function answer(request: Request, { codec, tested }: Modules): object {
  const { messageType = "", requestedOutputFormat: format } = request;
  if (messageType === "conformance.FailureSet") return { protobufPayload: "" };
  if (!messageType.startsWith(prefix)) return { skipped: "not proto3" };
  if (format !== "PROTOBUF" && format !== "JSON") return { skipped: "neither bytes nor JSON" };
  if (request.protobufPayload === undefined && request.jsonPayload === undefined)
    return { skipped: "text format" };
  const name = messageType.slice(prefix.length);
  let value: unknown;
  try {
    value =
      request.jsonPayload === undefined
        ? find(codec, `decode${name}`)(Buffer.from(request.protobufPayload ?? "", "base64"))
        : find(tested, "parse")(tested[`${name}Schema`], JSON.parse(request.jsonPayload), "open");
  } catch (error) {
    // Decoding parses bytes and writes JSON in one step.
    const isParsed = error instanceof Error && error.constructor.name === "UnrepresentableError";
    return { [isParsed ? "serializeError" : "parseError"]: String(error) };
  }
  try {
    if (format === "JSON") return { jsonPayload: JSON.stringify(value) };
    const bytes = find(codec, `encode${name}`)(value) as Uint8Array;
    return { protobufPayload: Buffer.from(bytes).toString("base64") };
  } catch (error) {
    return { serializeError: String(error) };
  }
}

/** Reads a number of bytes from stdin, or returns `undefined` at its end. */
function read(size: number): Buffer | undefined {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size;) {
    const count = readSync(0, bytes, at, size - at, null);
    if (count === 0) return undefined;
    at += count;
  }
  return bytes;
}

function write(bytes: Buffer) {
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}
