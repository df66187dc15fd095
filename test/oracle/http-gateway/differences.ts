import type { HttpCase } from "./cases.js";
import type { Received } from "./exchange.js";

/** A difference on purpose between our server and grpc-gateway. */
export interface Difference {
  readonly reason: string;
  /** Returns whether the difference explains two responses that are not equal. */
  readonly explains: (of: HttpCase, ours: Received, theirs: Received) => boolean;
}

/** Statuses of the two servers. */
const statuses = (own: number, other: number) => (_: HttpCase, ours: Received, theirs: Received) =>
  ours.status === own && theirs.status === other;

/** Whether the path without the query matches, and the servers have these statuses. */
const path = (pattern: RegExp, own: number, ...others: readonly number[]) =>
  ((of, ours, theirs) =>
    pattern.test(of.path.split("?", 1)[0] ?? "") &&
    ours.status === own &&
    others.includes(theirs.status)) satisfies Difference["explains"];

/** Whether the request, with its body, matches, and the servers have these statuses. */
const text = (pattern: RegExp, own: number, other: number) =>
  ((of, ours, theirs) =>
    pattern.test(`${of.method} ${of.path} ${of.body ?? ""}`) &&
    statuses(own, other)(of, ours, theirs)) satisfies Difference["explains"];

/** The differences, with their reasons. */
export const differences: readonly Difference[] = [
  {
    reason: "An unsupported method has the status 405 of HTTP, and the header Allow.",
    explains: statuses(405, 501),
  },
  {
    reason: "A suffix that a route declares is never a part of an id.",
    explains: path(/:(open|archive|watch)$/, 405, 200),
  },
  {
    reason: "A variable matches no empty segment: a slash at the end does not change the route.",
    explains: path(/\/\/|\/$/, 404, 200),
  },
  {
    reason: "`**` may also match no segment before a suffix.",
    explains: path(/\/:archive$/, 200, 501),
  },
  {
    reason: "A path that is not valid UTF-8 with valid escapes is unknown.",
    explains: path(/%(?![0-9a-f]{2})|%FF/i, 404, 400, 500),
  },
  {
    reason: "A query that is not valid UTF-8 is an invalid argument, not an internal error.",
    explains: text(/\?.*%FF/, 400, 500),
  },
  {
    reason:
      "As google.api.http requires, an escaped slash stays escaped in a variable of several " +
      "segments, also if the template names each of them.",
    explains: (_, ours, theirs) =>
      JSON.stringify(ours).replaceAll(/%2f/gi, "/") === JSON.stringify(theirs),
  },
  {
    reason:
      "Numbers in a query have the form of ProtoJSON: with an exponent, without leading zeros.",
    explains: text(/\?\w+=(1\.0|1e2)/, 200, 400),
  },
  {
    reason: "Numbers in a query have the form of ProtoJSON: without leading zeros and plus signs.",
    explains: text(/\?\w+=(01|%2B1|\.5)/, 400, 200),
  },
  {
    reason: "Booleans in a query are `true` and `false`.",
    explains: text(/\?flag=(0|1|t|True|TRUE) /, 400, 200),
  },
  {
    reason: "Durations in a query have the form of ProtoJSON.",
    explains: text(/\?wait=1h/, 400, 200),
  },
  {
    reason: "Field masks in a query may have the form of ProtoJSON: camelCase.",
    explains: text(/\?readMask=pageSize/, 200, 400),
  },
  {
    reason: "Members of a struct are unknown in a query, as google.api.http has none for them.",
    explains: text(/\?extra\.a=b/, 200, 200),
  },
  {
    reason: "Unknown members of known fields are ignored in a query, like unknown fields.",
    explains: (of, ours, theirs) =>
      /\?(tags\[\]|book\.|book\.unknown|[\w.]+\.(a|x|title))=/.test(of.path) &&
      ours.status === 200 &&
      [200, 400].includes(theirs.status),
  },
  {
    reason: "A semicolon is a part of a value in a query.",
    explains: text(/\?name=a;/, 200, 400),
  },
  {
    reason: "A request that contradicts its path is refused. The gateway prefers the path.",
    explains: (of, ours, theirs) =>
      statuses(400, 200)(of, ours, theirs) &&
      ours.message?.endsWith("has different values in the request") === true,
  },
  {
    reason: "A body of `null` is an empty body.",
    explains: text(/ null$/, 200, 400),
  },
  {
    reason: "A body is one JSON value. The gateway ignores the text after the first value.",
    explains: text(/\} ?(x|\{\})$/, 400, 200),
  },
  {
    reason: "The last of several equal names in JSON counts.",
    explains: text(/"title":"a","title":"b"/, 200, 400),
  },
  {
    reason: "A body may be the whole request, although the route expects one of its fields.",
    explains: text(/ \{"book":\{/, 200, 200),
  },
  {
    reason: "Unknown values of enums are invalid. The gateway drops them with unknown members.",
    explains: text(/\{"kind":"(1|EPIC)"\}/, 400, 200),
  },
  {
    reason: "A number in a body may be a string, as in ProtoJSON, also if the body is one field.",
    explains: text(/count "5"$/, 200, 400),
  },
  {
    reason: "A body requires a media type of JSON, so that pages of other origins cannot send it.",
    explains: (of, ours, theirs) =>
      of.headers["content-type"] !== "application/json" && statuses(400, 200)(of, ours, theirs),
  },
  {
    reason: "A form is no replacement for the query of a GET request.",
    explains: (of, ours, theirs) =>
      of.headers["content-type"] === "application/x-www-form-urlencoded" &&
      statuses(405, 200)(of, ours, theirs),
  },
];
