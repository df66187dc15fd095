import { describe, expect, it } from "vitest";
import { loadAssets } from "../../../generator/project/assets.js";
import type { BindingDef, OperationDef, Protocol } from "../../../generator/protocol/model/types.js";
import { Renderer } from "../../../generator/render/render.js";
import { renderFile, specifierFrom } from "../../../generator/core/files.js";
import { planAgent } from "../../../generator/targets/agent/agent.js";
import { chooseTargets } from "../../../generator/targets/registry.js";
import type { FilePlan, TargetPlan } from "../../../generator/emit/plan.js";

// A small protocol in the style of versions before 1.0, put together by hand: what of it reaches the generated files.

const renderer = await Renderer.load(loadAssets().templates);
const textOf = (plan: FilePlan): string => {
  const specifierOf = (module: string): string => specifierFrom(plan.path, module, { importExtension: "js" });
  return renderFile(renderer, plan, { header: "// Header", specifierOf }, undefined).text;
};

const operation = (name: string, more: Partial<OperationDef>): OperationDef => ({
  name,
  method: name.charAt(0).toLowerCase() + name.slice(1),
  docs: `Does ${name}.`,
  deprecated: false,
  streaming: "none",
  request: { kind: "named", name: "LetterRequest" },
  response: { kind: "named", name: "Letter" },
  http: [],
  ...more,
});

const service = "letters.Letters";
const binding: BindingDef = {
  version: "0.3.0",
  wireVersion: "0.3",
  assumedVersion: "0.3",
  headers: { version: "Letters-Version", extensions: "X-Letters-Extensions" },
  mediaTypes: { http: "application/json", accept: ["application/json"] },
  card: {
    type: "Card",
    path: "/card.json",
    interfaces: { main: { url: "url", defaultBinding: "JSONRPC" }, list: "others", url: "url", binding: "transport" },
  },
  bindings: { jsonRpc: "JSONRPC", http: "HTTP+JSON", grpc: "GRPC" },
  errorDomain: "letters.example",
  errorFormat: "plain",
  streamErrors: "event",
  errors: [
    { name: "UnsupportedError", reason: "UNSUPPORTED", docs: "", jsonRpc: -1, http: 400, grpc: "UNIMPLEMENTED" },
  ],
  errorRoles: { unsupported: "UnsupportedError" },
};

/** The version without its proto. */
const schemaOnly: Protocol = {
  title: "Letters 0.3.0",
  sources: ["schema", "manifest"],
  types: [],
  losses: [],
  legacy: [],
  operations: [
    operation("Post", {
      rpc: { service, method: "Post", request: "PostMessage", response: "LetterMessage" },
      jsonRpc: "letters/post",
      demands: [["letter", "pages"], ["stamps"]],
    }),
    operation("Burn", {
      response: { kind: "empty", json: "null" },
      rpc: { service, method: "Burn", request: "BurnMessage" },
      jsonRpc: "letters/burn",
    }),
    operation("Ping", {
      request: { kind: "empty", json: "object" },
      rpc: { service, method: "Ping", response: "LetterMessage" },
    }),
    operation("Recall", { jsonRpc: "letters/recall" }),
  ],
  binding,
  omissions: [],
  removed: [],
};
const protocol: Protocol = {
  ...schemaOnly,
  wire: { package: "letters", isProtoJson: false, messages: [], enums: [] },
};

/** The plans of the targets that say how operations travel. */
async function plansOf(source: Protocol): Promise<TargetPlan[]> {
  const names = ["errors", "operations", "client", "server", "jsonrpc", "rest", "grpc"];
  const selection = chooseTargets(names);
  if ("problem" in selection) throw new Error(selection.problem);
  const chosen = selection.chosen.filter(({ name }) => names.includes(name));
  return Promise.all(chosen.map(async (target) => await target.plan(source, new Set(names))));
}

/** The generated files by their path. */
async function filesOf(source: Protocol): Promise<ReadonlyMap<string, FilePlan>> {
  const plans = await plansOf(source);
  return new Map(plans.flatMap(({ files }) => files).map((file) => [file.path, file]));
}

async function fileOf(path: string, source = protocol): Promise<string> {
  const file = (await filesOf(source)).get(path);
  if (file === undefined) throw new Error(`There is no ${path}`);
  return textOf(file);
}

describe("the operation table", () => {
  it("has the lists of a request that need an element, and its gRPC path only where there is an rpc", async () => {
    const text = await fileOf("operations.ts");
    expect(text).toContain('  grpc: "/letters.Letters/Post",\n  nonEmpty: [["letter", "pages"], ["stamps"]],\n');
    expect(text).not.toContain("/Recall");
  });

  it("has null for an answer that says nothing and is null in JSON", async () => {
    const text = await fileOf("operations.ts");
    expect(text).toContain("export const burn: Operation<models.LetterRequest, null> = {");
    expect(text).toContain("response: NullSchema,");
    expect(text).toContain("request: EmptySchema,");
    expect(text).toContain('import { type Empty, EmptySchema, NullSchema } from "./runtime/schema/message.js";');
  });

  it("has how errors of streams travel, only where that is not the usual way", async () => {
    expect(await fileOf("operations.ts")).toContain('  streamErrors: "event",\n');
    const ordinary: Protocol = { ...protocol, binding: { ...binding, streamErrors: "response" } };
    expect(await fileOf("operations.ts", ordinary)).not.toContain("streamErrors");
  });

  it("has the interface that a card names itself, and no extensions where cards have none", async () => {
    const text = await fileOf("operations.ts");
    expect(text).toContain('  interfaces: { main: { url: "url", defaultBinding: "JSONRPC" }, list: "others",');
    expect(text).not.toContain("extensions: { list");
  });
});

describe("the client", () => {
  it("gives nothing where the answer says nothing, whatever that is in JSON", async () => {
    expect(await fileOf("client/client.ts")).toContain(
      "async burn(request: LetterRequest, options?: CallOptions): Promise<void> {\n    await this.#core.unary(",
    );
  });

  it("begins with the interface that a card names itself", async () => {
    const text = await fileOf("client/connect.ts");
    expect(text).toContain('import { openMainFirst } from "../runtime/client/main-interface.js";');
    expect(text).toContain("transport: openMainFirst(card, transports,");
    expect(text).not.toContain("openFirst");
  });

  it.each(["jsonrpc", "rest", "grpc"])("reads errors over %s in the format of the version", async (transport) => {
    const path = `client/${transport}.ts`;
    expect(await fileOf(path)).toMatch(/import \{ read\w+Error \} from "\.\.\/runtime\/protocol\/error-plain\.js";/);
    const modules = (await filesOf(protocol)).get(path)?.imports.map(({ module }) => module);
    expect(modules).toContain("runtime/protocol/error-plain");
    const named: Protocol = { ...protocol, binding: { ...binding, errorFormat: "named" } };
    expect(await fileOf(path, named)).toContain("/error-named.js");
  });
});

describe("the server", () => {
  it("writes errors in the format of the version", async () => {
    const text = await fileOf("server/agent.ts");
    expect(text).toContain('import { errorWriter } from "../runtime/protocol/error-plain.js";');
  });

  it("names the rpc of an operation, or its JSON-RPC method", async () => {
    const text = await fileOf("server/service.ts");
    expect(text).toContain("   * @see letters.Letters.Post\n");
    expect(text).toContain("   * @see letters/recall\n");
  });
});

describe("the codecs of the operations", () => {
  it("are those of the messages of the proto, or of nothing", async () => {
    const text = await fileOf("codecs.ts");
    expect(text).toContain('import { type Codecs, emptyCodec, nullCodec } from "./runtime/bindings/grpc/status.js";');
    expect(text).toContain("request: { encode: pb.encodePostMessage, decode: pb.decodePostMessage },");
    expect(text).toContain("response: nullCodec,");
    expect(text).toContain("request: emptyCodec,");
    expect(text).not.toContain("Recall");
  });
});

describe("a version without a proto", () => {
  it("has no gRPC and no HTTP+JSON, and says why", async () => {
    const omissions = (await plansOf(schemaOnly)).flatMap((plan) => plan.omissions);
    expect(omissions.map(({ target, subject }) => `${target}: ${subject}`)).toEqual([
      "rest: everything",
      "grpc: everything",
    ]);
    for (const { reason } of omissions) expect(reason).toContain("has no proto");
  });

  it("has client and server over JSON-RPC alone", async () => {
    const files = await filesOf(schemaOnly);
    expect([...files.keys()]).toContain("client/jsonrpc.ts");
    expect([...files.keys()].filter((path) => /rest|grpc|codecs/.test(path))).toEqual([]);
    expect(await fileOf("client/connect.ts", schemaOnly)).toContain("transports = [jsonRpc({ fetch })]");
    expect(await fileOf("client/index.ts", schemaOnly)).not.toContain("rest");
    expect(await fileOf("server/http.ts", schemaOnly)).not.toContain("restHandler");
    expect(await fileOf("server/index.ts", schemaOnly)).not.toContain("Rest");
  });
});

describe("the agent skeleton", () => {
  const skeletonOf = (changes: Partial<BindingDef>): string => {
    const plan = planAgent({ ...protocol, binding: { ...binding, ...changes } });
    return plan === undefined ? "" : textOf(plan);
  };

  it("warns of calls without a version only where they are refused", () => {
    const errorRoles = { unsupported: "UnsupportedError", versionNotSupported: "UnsupportedError" };
    expect(skeletonOf({ errorRoles, assumedVersion: "0.2" })).toContain("assumeVersion");
    expect(skeletonOf({ errorRoles })).not.toContain("assumeVersion");
    expect(skeletonOf({ assumedVersion: "0.2" })).not.toContain("assumeVersion");
    expect(skeletonOf({})).toContain("const agent = createAgent(");
  });
});
