import { unexpected } from "./encode-error.js";
import { camelCasePaths, isFieldMask } from "../schema/predicates.js";
import { formatDuration, parseDuration } from "../base/time.js";
import {
  finish,
  readInstant,
  skip,
  UnrepresentableError,
  writeInstant,
  type Reader,
  type Writer,
} from "./wire.js";

/** Encodes `google.protobuf.Duration`. */
export function writeDuration(value: string, writer: Writer): Writer {
  const span = typeof value === "string" ? parseDuration(value) : undefined;
  if (span === undefined) throw unexpected('duration such as "1.5s"', value);
  return writeInstant(span, writer);
}

/** Decodes `google.protobuf.Duration`. */
export function readDuration(reader: Reader, end: number, depth: number): string {
  const span = readInstant(reader, end, depth);
  const duration = formatDuration(span);
  const areNanosInRange = Math.abs(span.nanos) <= 999_999_999;
  const hasOneSign = span.seconds * span.nanos >= 0;
  if (!areNanosInRange || !hasOneSign || parseDuration(duration) === undefined)
    throw new UnrepresentableError("A duration is out of range");
  return duration;
}

/** Encodes `google.protobuf.FieldMask`. Paths are camelCase in JSON, and snake_case in protobuf. */
export function writeFieldMask(value: string, writer: Writer): Writer {
  if (!isFieldMask(value)) throw unexpected("field mask", value);
  const paths = value === "" ? [] : value.split(",");
  for (const path of paths)
    writer.uint32(10).string(path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return writer;
}

/** Decodes `google.protobuf.FieldMask`. */
export function readFieldMask(reader: Reader, end: number, depth: number): string {
  const paths: string[] = [];
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 10) paths.push(camelPath(reader.string()));
    else skip(reader, tag, end, depth);
  }
  return finish(reader, end, paths).join(",");
}

/**
 * Returns a path in camelCase. Throws if the original path could not be computed from the result.
 */
function camelPath(path: string): string {
  const camel = camelCasePaths(path);
  if (!/[A-Z]/.test(path) && /^[A-Za-z0-9.]+$/.test(camel)) return camel;
  throw new UnrepresentableError(`JSON cannot represent the path "${path}" of a field mask`);
}
