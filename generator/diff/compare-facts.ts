import type { BindingDef, CardInterfacesDef, Protocol } from "../protocol/model/types.js";
import { changed, type Breaks, type Change } from "./types.js";

/** Fact about the whole protocol, and the surfaces that break if the fact changes. */
type Fact = readonly [name: string, value: string | undefined, breaks: Breaks];

/** Compares the facts of two versions, which are all parts except types, operations and errors. */
export function compareFacts(from: Protocol, to: Protocol): Change[] {
  const [before, now] = [factsOf(from), factsOf(to)].map(
    (facts) => new Map(facts.map((fact) => [fact[0], fact])),
  );
  const names = [...new Set([...(before?.keys() ?? []), ...(now?.keys() ?? [])])];
  return names.flatMap((name) => {
    const [was, is] = [before?.get(name), now?.get(name)];
    return changed(
      { subject: "fact", name },
      was?.[1],
      is?.[1],
      isWider(was?.[1], is?.[1]) ? {} : (was?.[2] ?? {}),
    );
  });
}

/** Returns whether names were only added to a list of names. */
function isWider(from = "", to = ""): boolean {
  const now = to.split(", ");
  return from.split(", ").every((part) => now.includes(part));
}

function factsOf({ wire, binding }: Protocol): Fact[] {
  const breaks = { protobuf: "full names of messages and services differ" };
  return [
    ["proto package", wire?.package, breaks],
    ...(binding === undefined ? [] : bindingFacts(binding)),
  ];
}

const refused = "peers that use the old one are refused";
const notFound = "peers that use the old one do not find it";

function bindingFacts({
  wireVersion,
  assumedVersion,
  headers,
  mediaTypes,
  bindings,
  ...rest
}: BindingDef): Fact[] {
  const both = { json: refused, protobuf: refused };
  const details = "peers that read details of errors do not find them";
  return [
    ["version on the wire", wireVersion, both],
    ["version of requests without one", assumedVersion, both],
    ["header of the version", headers?.version, both],
    ["header of the extensions", headers?.extensions, both],
    [
      "media type of HTTP+JSON",
      mediaTypes.http,
      { json: "peers that only accept the old one are refused" },
    ],
    [
      "accepted media types",
      mediaTypes.accept.join(", "),
      { json: "media types that are not in the list are refused" },
    ],
    [
      "media type of streams of lines",
      mediaTypes.lines,
      { json: "callers that request lines get server-sent events" },
    ],
    [
      "format of errors",
      formatText(rest.errorFormat),
      { json: details, ...detailsBreak(rest.errorFormat, details) },
    ],
    [
      "domain of errors",
      rest.errorFormat === "status" ? rest.errorDomain : undefined,
      { json: details, protobuf: details },
    ],
    [
      "errors of JSON-RPC streams before the first event",
      streamText(rest.streamErrors),
      { json: notFound },
    ],
    ["body of webhooks", rest.webhook, { json: "receivers of the old one do not understand it" }],
    ["field of the tenant", rest.tenant, both],
    ["name of JSON-RPC in cards", bindings.jsonRpc, { json: notFound }],
    ["name of HTTP+JSON in cards", bindings.http, { json: notFound }],
    ["name of gRPC in cards", bindings.grpc, { protobuf: notFound }],
    ["path of the agent card", rest.card?.path, { json: notFound }],
    ["type of the agent card", rest.card?.type, { source: "the name is different" }],
    ...(rest.card === undefined ? [] : interfaceFacts(rest.card.interfaces)),
    ["list of extensions in the card", rest.card?.extensions?.list.join("."), { json: notFound }],
    ["security requirements in the card", rest.card?.security?.list, { json: notFound }],
    ["security schemes in the card", rest.card?.security?.declared, { json: notFound }],
  ];
}

function formatText(format: BindingDef["errorFormat"]): string {
  return {
    status: "google.rpc.Status with details",
    plain: "code and message",
    named: "an object with a name",
  }[format];
}

// On gRPC, an error in the plain format has no details, so none can be lost.
function detailsBreak(format: BindingDef["errorFormat"], protobuf: string): Breaks {
  return format === "plain" ? {} : { protobuf };
}

function streamText(errors: BindingDef["streamErrors"]): string {
  return errors === "event" ? "an event of the stream" : "an ordinary response";
}

/** Returns the facts about the interfaces in a card. Clients of every transport read them. */
function interfaceFacts({ main, list, url, binding, version, tenant }: CardInterfacesDef): Fact[] {
  const breaks = { json: notFound };
  const key = (...path: (string | undefined)[]): string | undefined =>
    path.includes(undefined) ? undefined : path.join("[].");
  return [
    ["main URL in the card", main?.url, breaks],
    ["transport of the main URL in the card", main?.binding, breaks],
    ["transport of the main URL where the card names none", main?.defaultBinding, breaks],
    ["interfaces in the card", list, breaks],
    ["URL of an interface in the card", key(list, url), breaks],
    ["transport of an interface in the card", key(list, binding), breaks],
    ["version of an interface in the card", key(list, version), breaks],
    ["tenant of an interface in the card", key(list, tenant), breaks],
  ];
}
