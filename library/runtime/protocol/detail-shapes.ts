/**
 * Form of a field of a detail: text, a duration such as `1.5s`, texts by their keys, or a message.
 */
export type DetailForm = "text" | "duration" | "texts" | DetailShape;

/** A field of a detail. */
export interface DetailField {
  /** The name in JSON. */
  readonly name: string;
  readonly form: DetailForm;
  /** Set if the field is a list. */
  readonly isList?: true;
  /** Set if readers add the field even if it is empty. */
  readonly isKept?: true;
}

/** The fields of a message by their numbers, in ascending order. */
export type DetailShape = ReadonlyMap<number, DetailField>;

/** Returns a message with the fields 1, 2, and so on. */
function shape(...fields: readonly (string | DetailField)[]): DetailShape {
  return new Map(
    fields.map((field, index): [number, DetailField] => [
      index + 1,
      typeof field === "string" ? { name: field, form: "text" } : field,
    ]),
  );
}

function list(name: string, form: DetailForm): DetailField {
  return { name, form, isList: true };
}

function kept(name: string): DetailField {
  return { name, form: "text", isKept: true };
}

const localizedMessage: DetailShape = /* @__PURE__ */ shape("locale", "message");

/** The details of `google.rpc`, by the names of their messages. Other details are opaque bytes. */
export const detailShapes: ReadonlyMap<string, DetailShape> = /* @__PURE__ */ new Map([
  [
    "google.rpc.ErrorInfo",
    shape(kept("reason"), kept("domain"), { name: "metadata", form: "texts" }),
  ],
  ["google.rpc.RetryInfo", shape({ name: "retryDelay", form: "duration" })],
  ["google.rpc.DebugInfo", shape(list("stackEntries", "text"), "detail")],
  ["google.rpc.QuotaFailure", shape(list("violations", shape("subject", "description")))],
  [
    "google.rpc.PreconditionFailure",
    shape(list("violations", shape("type", "subject", "description"))),
  ],
  [
    "google.rpc.BadRequest",
    shape({
      ...list(
        "fieldViolations",
        shape(kept("field"), "description", "reason", {
          name: "localizedMessage",
          form: localizedMessage,
        }),
      ),
      isKept: true,
    }),
  ],
  ["google.rpc.RequestInfo", shape("requestId", "servingData")],
  ["google.rpc.ResourceInfo", shape("resourceType", "resourceName", "owner", "description")],
  ["google.rpc.Help", shape(list("links", shape("description", "url")))],
  ["google.rpc.LocalizedMessage", localizedMessage],
]);
