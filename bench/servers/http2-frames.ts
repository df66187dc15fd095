/** The frame types that are used here (RFC 9113, section 6). */
export const frameType = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  goAway: 7,
  windowUpdate: 8,
} as const;

const headLength = 9;
const largestWindow = 2 ** 31 - 1;

/** A received frame. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
  /** Start of the next frame. */
  readonly end: number;
}

/** Returns the frame that starts at `at`; `undefined` if it is incomplete. */
export function frameOf(bytes: Buffer, at: number): Frame | undefined {
  if (bytes.length < at + headLength) return undefined;
  const end = at + headLength + bytes.readUIntBE(at, 3);
  if (bytes.length < end) return undefined;
  const [type = 0, flags = 0] = bytes.subarray(at + 3, at + 5);
  const stream = bytes.readUInt32BE(at + 5);
  return { type, flags, stream, payload: bytes.subarray(at + headLength, end), end };
}

/** Returns a frame of stream 0. */
export function frame(type: number, flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  return Buffer.concat([head, payload]);
}

/** Returns an entry of a SETTINGS frame. */
export function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

function increment(by: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(by);
  return bytes;
}

/**
 * Returns the connection preface of a client: no flow control limits for the server, and no dynamic
 * header table.
 */
export const preface = Buffer.concat([
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  frame(frameType.settings, 0, Buffer.concat([setting(1, 0), setting(4, largestWindow)])),
  frame(frameType.windowUpdate, 0, increment(largestWindow - 65_535)),
]);

/** Acknowledgement of the server's settings. */
export const settingsAck = frame(frameType.settings, 1, Buffer.alloc(0));

/** Creates the HEADERS frame of a POST request, without a stream id. */
export function headersFrame(path: string, fields: Readonly<Record<string, string>>): Buffer {
  // Indexes of the static table of HPACK: `:method: POST`, `:scheme: http`; `:path` and
  // `:authority` by name.
  const known = [
    Buffer.from([0x83, 0x86, 0x04]),
    text(path),
    Buffer.from([0x01]),
    text("127.0.0.1"),
  ];
  const others = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from([0]),
    text(name),
    text(value),
  ]);
  return frame(frameType.headers, 4, Buffer.concat([...known, ...others]));
}

/** Creates the only DATA frame of a request, without a stream id. */
export function dataFrame(payload: Buffer): Buffer {
  return frame(frameType.data, 1, payload);
}

/** Encodes a string for HPACK, without Huffman coding. */
function text(value: string): Buffer {
  if (value.length > 126) throw new RangeError("The text must have at most 126 characters");
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value, "latin1")]);
}
