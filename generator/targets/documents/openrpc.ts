import type { BindingDef, Protocol } from "../../protocol/model/types.js";
import { withoutManifest } from "../errors/errors.js";
import { hasServices } from "../services/services.js";
import { jsonLines } from "./json-layout.js";
import { emptyPlan, type Target } from "../../emit/plan.js";
import { aliasSchemas } from "./aliases.js";
import { openRpcDialect, Schemas } from "./components.js";
import { errorData, errorText } from "./error-format.js";
import { methodsOf, type Method } from "./methods.js";
import { paragraphs } from "./words.js";

/** Target that describes JSON-RPC as an OpenRPC document. */
export const openrpc: Target = {
  name: "openrpc",
  summary: "JSON-RPC as an OpenRPC 1.3 document (openrpc.json)",
  optIn: true,
  needs: [],
  plan: (protocol) => {
    const { binding, omissions } = protocol;
    if (binding === undefined) return withoutManifest("openrpc", "the JSON-RPC methods", protocol);
    if (hasServices(protocol) && protocol.services.length > 1) {
      const reason = "each service has an endpoint, and a document describes one endpoint";
      return { ...emptyPlan, omissions: [{ target: "openrpc", subject: "everything", reason }] };
    }
    const methods = methodsOf(protocol, binding);
    if (methods.length === 0) {
      const reason = "no operation has a JSON-RPC method";
      return { ...emptyPlan, omissions: [{ target: "openrpc", subject: "everything", reason }] };
    }
    const view = { lines: jsonLines(documentOf(protocol, binding, methods)) };
    const without = omissions.filter(({ target }) => target === "jsonrpc");
    return {
      ...emptyPlan,
      files: [
        { path: "openrpc.json", template: "openrpc/openrpc", view, imports: [], exports: [] },
      ],
      omissions: without.map((omission) => ({ ...omission, target: "openrpc" })),
    };
  },
};

function documentOf(protocol: Protocol, binding: BindingDef, methods: readonly Method[]): object {
  const { title, types } = protocol;
  const schemas = new Schemas(types, openRpcDialect);
  schemas.complete(types.map(({ name }) => name));
  return {
    openrpc: "1.3.2",
    info: {
      title: `${title} over ${binding.bindings.jsonRpc}`,
      description: aboutAll(binding),
      version: binding.version,
    },
    methods,
    components: {
      schemas: { ...schemas.all(), ...Object.fromEntries(aliasSchemas(protocol, openRpcDialect)) },
      errors: errorsOf(binding),
    },
  };
}

/** Returns the errors with their own JSON-RPC code, by name. */
function errorsOf(binding: BindingDef): Record<string, object> {
  const errors = binding.errors.filter(({ jsonRpc }) => jsonRpc !== undefined);
  return Object.fromEntries(
    errors.map((error) => {
      const data = errorData(error, binding);
      return [
        error.name,
        { code: error.jsonRpc, message: errorText(error), ...(data !== undefined && { data }) },
      ];
    }),
  );
}

function aboutAll(binding: BindingDef): string {
  const { bindings, headers, assumedVersion, wireVersion, errors, streamErrors, card } = binding;
  const others = errors.filter(({ jsonRpc }) => jsonRpc === undefined);
  const statuses = others.map(({ name, http }) => `\`${name}\` with the status ${http} of HTTP`);
  const aboutHeaders =
    headers !== undefined &&
    `The HTTP header \`${headers.version}\` contains the version of a request: ${wireVersion} ` +
      `for this document. The default is ${assumedVersion}. \`${headers.extensions}\` contains ` +
      "the " +
      "URIs of extensions, separated by commas.";
  const place =
    card === undefined
      ? "a server at the path with the full name of the service. Requests are sent with POST."
      : `an agent that supports \`${bindings.jsonRpc}\`. Requests are sent with POST to one ` +
        "endpoint. The agent card contains its URL and the security schemes.";
  return paragraphs(
    `The methods of ${place}`,
    aboutHeaders,
    "Methods with `x-streaming` respond with server-sent events. The `data` of each event is " +
      "a complete JSON-RPC response, whose `result` is a result of the method. An error ends the " +
      "stream. An error before the first event is sent as " +
      `${streamErrors === "event" ? "the only event" : "an ordinary response"}.`,
    "Params are passed by name; `x-params` is the type of the params object. Schemas describe " +
      "canonical JSON, as in responses. In params, agents also accept names in snake_case and " +
      "`null` for absent fields, and ignore unknown members.",
    statuses.length > 0 &&
      `The following errors use the code of an invalid request: ${statuses.join(", ")}.`,
  );
}
