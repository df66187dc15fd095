import type { JsonSchema } from "../../protocol/json-schema/types.js";
import type { BindingDef, Protocol, WireDef } from "../../protocol/model/types.js";
import { withoutManifest, withoutProto } from "../errors/errors.js";
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
    if (wire === undefined) return withoutProto("openapi", "which routes HTTP+JSON has");
    if (binding === undefined) return withoutManifest("openapi", "how errors travel", protocol);
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
      omissions: [...without.map((omission) => ({ ...omission, target: "openapi" })), ...paths.omissions],
    };
  },
};

function documentOf(protocol: Protocol, binding: BindingDef, wire: WireDef): { document: object; paths: Paths } {
  const http = new HttpJson(protocol, wire);
  const all = http.isModel ? http.types : [...http.types, ...protocol.types];
  const schemas = new Schemas(all, openApiDialect);
  const responses = new Responses(http, binding, schemas);
  const paths = new Paths({ http, binding, schemas, responses });
  for (const operation of protocol.operations) paths.add(operation);
  paths.addItem(binding.card.path, `discover${binding.card.type}`, (id) => cardPath(id, binding));
  const named = http.isModel ? http.types.map(({ name }) => name) : [];
  schemas.complete([...named, ...referencesIn([...paths.items.values()])]);
  const legacy = protocol.legacy.filter(({ now }) => schemas.has(now));
  const aliases = aliasSchemas({ legacy, binding }, openApiDialect);
  const document = {
    openapi: "3.1.1",
    info: infoOf(protocol, binding, http),
    servers: [
      { url: "/", description: `Stands for the URL that the agent card has for \`${binding.bindings.http}\`.` },
    ],
    tags: [...paths.tags, "discovery"].map((name) => ({ name })),
    paths: Object.fromEntries(paths.items),
    components: {
      schemas: withAliases(schemas.all(), aliases),
      responses: responses.errors(),
      parameters: headerParameters(binding),
    },
  };
  return { document, paths };
}

function withAliases(
  schemas: Readonly<Record<string, JsonSchema>>,
  aliases: readonly (readonly [string, JsonSchema])[],
): Record<string, JsonSchema> {
  return { ...schemas, ...Object.fromEntries(aliases.filter(([old]) => !Object.hasOwn(schemas, old))) };
}

/** Returns the names of the schemas to which a part of the document refers. */
function referencesIn(part: unknown): string[] {
  const found = JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  return [...found].map(([, name = ""]) => name);
}

function infoOf({ title }: Protocol, { version, bindings }: BindingDef, http: HttpJson) {
  const forms = `Objects whose names begin with \`${http.prefix}\` are the ProtoJSON of messages, which is what responses have. Requests may also have the JSON of ${bindings.jsonRpc}, whose types have their plain names.`;
  return {
    title: `${title} over ${bindings.http}`,
    description: paragraphs(
      `The routes of an agent that offers \`${bindings.http}\`. Its card says at which URL they are, and which credentials it asks for: security schemes differ from agent to agent, so that there are none here.`,
      "Schemas describe canonical JSON, which is what responses have. In requests, servers also read names in snake_case, the numbers of enum values, and `null` for what is absent; they ignore members that they do not know. A list in the query may be repeated parameters, or one with commas.",
      !http.isModel && forms,
      "Where a response is `text/event-stream`, its schema is that of the JSON in the `data` of each event.",
    ),
    version,
  };
}
