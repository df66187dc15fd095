import { without, type Habit } from "../departures.js";
import { isObject, type Json } from "../json.js";
import { all, client, http, protobuf, server } from "./evidence.js";

/** Replaces what is inside of a value, member by member and item by item; items have no name. */
function mapped(value: unknown, replace: (item: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapped(replace(item, ""), replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapped(replace(item, name), replace)]),
  );
}

function isEmptyMessage({ kind, messageId, parts = [] }: Json) {
  return kind === "message" && !messageId && Array.isArray(parts) && parts.length === 0;
}

/** Returns whether a value is a part of a message with bytes, which may have been taken out. */
function isBytes(value: unknown) {
  return (
    isObject(value) &&
    "mediaType" in value &&
    !["text", "url", "data"].some((name) => name in value)
  );
}

const emptyListIsNull: Omit<Habit, "by" | "over"> = {
  does: "An empty list in data becomes null.",
  says: "google/protobuf/struct.proto: an empty ListValue is not a NullValue.",
  without: (value) =>
    mapped(value, (item) => (Array.isArray(item) && item.length === 0 ? null : item)),
};

/** Habits of the SDKs of other languages. */
export const habits: readonly Habit[] = [
  {
    by: [client.oldPython, server.oldPython],
    over: protobuf,
    does: "The conversion from and to protobuf drops the timestamp of a status.",
    says: "0.3.0, a2a.proto: TaskStatus.timestamp.",
    without: (value) => without(value, "timestamp"),
  },
  {
    by: [client, server].flatMap(({ oldPython, pythonForOld, oldGo, java }) => [
      oldPython,
      pythonForOld,
      oldGo,
      java,
    ]),
    over: protobuf,
    does: "File bytes are base64-encoded twice when written, and read as if they were text.",
    says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes, which ProtoJSON writes as base64.",
    // The names of 0.3 and, if an adapter converts, of the model of 1.0.
    without: (value) => without(without(value, "bytes"), "raw"),
  },
  {
    by: [client.oldPython],
    over: protobuf,
    does: "A status without a message is read as a status with an empty message.",
    says: "0.3.0, a2a.proto: TaskStatus.update is absent if the status has no message.",
    without: (value) =>
      mapped(value, (item) => (isObject(item) && isEmptyMessage(item) ? undefined : item)),
  },
  {
    by: [server.oldPython, server.java],
    over: protobuf,
    does: "If the history length is absent, the server reads it as 0.",
    says: "0.3.0, a2a.proto: 0 means that history_length is absent.",
    without: (value) =>
      mapped(value, (item, name) => (name === "historyLength" && item === 0 ? undefined : item)),
  },
  {
    by: [server.pythonForOld],
    over: all,
    does: "If a task pauses for input, the stream ends without a final event.",
    says: "0.3.0 section 7.2.2: final is true for the last event of the stream.",
    without: (value) => without(value, "final"),
    isOld: true,
  },
  { ...emptyListIsNull, by: [server.go], over: http },
  { ...emptyListIsNull, by: [server.oldGo], over: ["JSONRPC"] },
  {
    by: [client.oldGo],
    over: ["HTTP+JSON"],
    does: "The media type of a file with bytes is dropped.",
    says: "0.3.0, a2a.proto: FilePart.mime_type.",
    without: (value) =>
      mapped(value, (item) => (isBytes(item) ? without(item, "mediaType") : item)),
  },
  {
    by: [server.oldGo],
    over: protobuf,
    does: "The server never sets final.",
    says: "0.3.0, a2a.proto: TaskStatusUpdateEvent.final is true for the last event of the stream.",
    without: (value) => without(value, "final"),
    isOld: true,
  },
  {
    by: [client.java, server.java],
    over: protobuf,
    does: "The conversion from and to protobuf drops the media type of a file.",
    says: "0.3.0, a2a.proto: FilePart.mime_type.",
    without: (value) => without(without(value, "mimeType"), "mediaType"),
  },
  {
    by: [client.java, server.java],
    over: protobuf,
    does: "The conversion from and to protobuf drops the extensions of a message.",
    says: "0.3.0, a2a.proto: Message.extensions.",
    without: (value) => mapped(value, (item, name) => (name === "extensions" ? undefined : item)),
  },
  {
    by: [client.java, server.java],
    over: protobuf,
    does: "An empty object in a list in data becomes null.",
    says: "google/protobuf/struct.proto: an empty Struct is not a NullValue.",
    without: (value) =>
      mapped(value, (item) => (isObject(item) && Object.keys(item).length === 0 ? null : item)),
  },
];
