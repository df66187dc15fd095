import type { JsonSchema } from "../../protocol/json-schema/types.js";
import type { BindingDef, Protocol, WireDef } from "../../protocol/model/types.js";
import { isOfAgents, withoutManifest, withoutProto } from "../errors/errors.js";
import { jsonLines } from "./json-layout.js";
import { emptyPlan, type Target } from "../../emit/plan.js";
import { aliasSchemas } from "./aliases.js";
import { cardPath } from "./card-path.js";
import { openApiDialect, Schemas } from "./components.js";
import { HttpJson } from "./http-json.js";
import { headerParameters } from "./parameters.js";
import { Paths } from "./paths.js";
import { Responses } from "./responses.js";
import { paragraphs } from "./words.js";

/** Target that describes HTTP+JSON as an OpenAPI document. */
export const openapi: Target = {
  name: "openapi",
  summary: "HTTP+JSON as an OpenAPI 3.1 document (openapi.json)",
  optIn: true,
  needs: [],
  plan: (protocol) => {
    const { binding, wire } = protocol;
    if (wire === undefined) return withoutProto("openapi", "the HTTP+JSON routes");
    if (binding === undefined)
      return withoutManifest("openapi", "how errors are encoded", protocol);
    const { document, paths } = documentOf(protocol, binding, wire);
    const without = protocol.omissions.filter(({ target }) => target === "rest");
    return {
      ...emptyPlan,
      files: [
        {
          path: "openapi.json",
          template: "openapi/openapi",
          view: { lines: jsonLines(document) },
          imports: [],
          exports: [],
        },
      ],
      omissions: [
        ...without.map((omission) => ({ ...omission, target: "openapi" })),
        ...paths.omissions,
      ],
    };
  },
};

function documentOf(
  protocol: Protocol,
  binding: BindingDef,
  wire: WireDef,
): { document: object; paths: Paths } {
  const http = new HttpJson(protocol, wire);
  const types = http.isModel ? http.types : [...http.types, ...protocol.types];
  const schemas = new Schemas(types, openApiDialect);
  const responses = new Responses(http, binding, schemas);
  const paths = new Paths({ http, binding, schemas, responses });
  for (const operation of protocol.operations) paths.add(operation);
  const isOfAgent = isOfAgents(binding);
  if (isOfAgent) {
    const { path, type } = binding.card;
    paths.addItem(path, `discover${type}`, (id) => cardPath(id, binding));
  }
  const named = http.isModel ? http.types.map(({ name }) => name) : [];
  // Last, because only then all references are known.
  schemas.complete([...named, ...referencesIn([...paths.items.values()])]);
  const document = {
    openapi: "3.1.1",
    info: infoOf(protocol, binding, http),
    servers: [serverOf(binding)],
    tags: [...paths.tags, ...(isOfAgent ? ["discovery"] : [])].map((name) => ({ name })),
    paths: Object.fromEntries(paths.items),
    components: {
      schemas: withAliases(schemas, protocol),
      responses: responses.errors(),
      ...(isOfAgent && { parameters: headerParameters(binding) }),
    },
  };
  return { document, paths };
}

function serverOf({ bindings, card }: BindingDef): object {
  const place = card === undefined ? "of the server" : "in the agent card";
  const description = `Placeholder for the URL ${place} for \`${bindings.http}\`.`;
  return { url: "/", description };
}

/** Returns all schemas, and the old names of types unless a schema has such a name. */
function withAliases(schemas: Schemas, protocol: Protocol): Record<string, JsonSchema> {
  const all = schemas.all();
  const legacy = protocol.legacy.filter(({ now }) => schemas.has(now));
  const aliases = aliasSchemas({ legacy }, openApiDialect);
  const unused = aliases.filter(([old]) => !Object.hasOwn(all, old));
  return { ...all, ...Object.fromEntries(unused) };
}

/** Returns the names of the schemas that a part of the document refers to. */
function referencesIn(part: unknown): string[] {
  const found = JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  return [...found].map(([, name = ""]) => name);
}

function infoOf({ title }: Protocol, { version, bindings, card }: BindingDef, http: HttpJson) {
  const ofAgents =
    `The routes of an agent that supports \`${bindings.http}\`. The agent card contains their ` +
    "URL and the security schemes. Security schemes differ between agents, so this document " +
    "has none.";
  const forms =
    `Schemas whose names start with \`${http.prefix}\` describe ProtoJSON messages. Responses ` +
    `use them. Requests may also use the JSON of ${bindings.jsonRpc}, whose schemas have no ` +
    "prefix.";
  return {
    title: `${title} over ${bindings.http}`,
    description: paragraphs(
      card === undefined ? `The routes of a server over \`${bindings.http}\`.` : ofAgents,
      "Schemas describe canonical JSON, as in responses. In requests, servers also accept names " +
        "in snake_case, numbers of enum values, and `null` for absent fields, and ignore unknown " +
        "members. A list in the query may be a repeated parameter, or one parameter with commas.",
      !http.isModel && forms,
      "If a response is `text/event-stream`, its schema describes the JSON in the `data` of each " +
        "event.",
    ),
    version,
  };
}
