import { isObject, type JsonObject, type JsonValue } from "../base/json.js";
import { parseDuration } from "../base/time.js";
import type { ErrorDetail } from "./error.js";
import { type DetailForm, detailShapes, type DetailShape } from "./detail-shapes.js";

/** A localized text, for people. `locale` is a tag such as `de-CH`. */
export interface LocalizedMessage {
  readonly locale?: string;
  readonly message?: string;
}

/** The details of `google.rpc` that an error may have, by the names of their messages. */
export interface ErrorDetails {
  /** The fields of the request that are invalid. */
  readonly BadRequest: {
    readonly fieldViolations?: readonly {
      /** The path of the field, such as `order.items`. */
      readonly field?: string;
      readonly description?: string;
      readonly reason?: string;
      readonly localizedMessage?: LocalizedMessage;
    }[];
  };
  /** Where the error occurred. For callers who may see the inside of the service. */
  readonly DebugInfo: { readonly stackEntries?: readonly string[]; readonly detail?: string };
  /** The cause of the error, for programs. */
  readonly ErrorInfo: {
    readonly reason?: string;
    readonly domain?: string;
    readonly metadata?: Readonly<Record<string, string>>;
  };
  /** Pages with more information. */
  readonly Help: { readonly links?: readonly { description?: string; url?: string }[] };
  readonly LocalizedMessage: LocalizedMessage;
  /** The conditions that are not met. */
  readonly PreconditionFailure: {
    readonly violations?: readonly { type?: string; subject?: string; description?: string }[];
  };
  /** The quotas that are exceeded. */
  readonly QuotaFailure: {
    readonly violations?: readonly { subject?: string; description?: string }[];
  };
  /** Data about the request, for reports of the error. */
  readonly RequestInfo: { readonly requestId?: string; readonly servingData?: string };
  /** The resource that the request accesses. */
  readonly ResourceInfo: {
    readonly resourceType?: string;
    readonly resourceName?: string;
    readonly owner?: string;
    readonly description?: string;
  };
  /** How long a caller should wait before it repeats the call, such as `1.5s`. */
  readonly RetryInfo: { readonly retryDelay?: string };
}

const prefix = "type.googleapis.com/google.rpc.";

/**
 * Returns a detail for the `details` of an error.
 *
 * @example
 * throw new UnavailableError("Closed", { details: [errorDetail("RetryInfo", { retryDelay: "5s" })] });
 */
export function errorDetail<Name extends keyof ErrorDetails>(
  name: Name,
  value: ErrorDetails[Name],
): ErrorDetail {
  const detail: object = { ...value, "@type": prefix + name };
  // The members consist of JSON.
  return detail as ErrorDetail;
}

/**
 * Returns the details of a type that an error contains. Members with values of other types, which a
 * peer may have sent, are omitted.
 *
 * @example
 * const [retry] = errorDetailsOf(error, "RetryInfo");
 */
export function errorDetailsOf<Name extends keyof ErrorDetails>(
  { details }: { readonly details: readonly ErrorDetail[] },
  name: Name,
): ErrorDetails[Name][] {
  const shape = detailShapes.get(`google.rpc.${name}`);
  const found = details.filter((detail) => detail["@type"] === prefix + name);
  // The members have the types that the shape describes.
  return found.map((detail) => membersOf(detail, shape ?? new Map()) as ErrorDetails[Name]);
}

function membersOf(detail: JsonObject, shape: DetailShape): JsonObject {
  const members: Record<string, JsonValue> = {};
  for (const { name, form, isList } of shape.values()) {
    const value = detail[name];
    const elements = isList !== true ? [value] : Array.isArray(value) ? value : [];
    const valid = elements.flatMap((element) => valueOf(element, form) ?? []);
    const [first] = valid;
    if (isList === true && Array.isArray(value)) members[name] = valid;
    else if (isList !== true && first !== undefined) members[name] = first;
  }
  return members;
}

/** Returns a value that has a form; `undefined` for other values. */
function valueOf(value: JsonValue | undefined, form: DetailForm): JsonValue | undefined {
  if (form === "text") return typeof value === "string" ? value : undefined;
  if (form === "duration")
    return typeof value === "string" && parseDuration(value) !== undefined ? value : undefined;
  if (!isObject(value)) return undefined;
  if (form !== "texts") return membersOf(value, form);
  const texts = Object.entries(value).filter(([, text]) => typeof text === "string");
  return Object.fromEntries(texts);
}
