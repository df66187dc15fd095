import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { specRegistry } from "../../../generator/input/registry.js";
import { packageFolder } from "../../../support/package-folder.js";
import { complaintsOf } from "../../product/types/compile.js";
import { generateFrom, libraryOptions, writeTo } from "../../support/output.js";
import { apis, rootOf, type Api } from "./apis.js";

const registry = specRegistry(packageFolder);

/** Compiling 25 MB of code takes minutes on a machine with other work. */
const patient = { timeout: 900_000 };

const options = {
  allowUnusedLabels: false,
  allowUnreachableCode: false,
  declaration: true,
  isolatedDeclarations: true,
};

/** The omissions that follow from the proto: no client is ever without its gRPC transport. */
const expected = [
  /^(?:jsonrpc|rest): \S+ \(a (?:client|bidirectional) stream requires more than one HTTP request\)$/,
  /^rest: \S+ \(no HTTP route in the proto\)$/,
  /^validators: \S+ \(.+: members of a oneof exclude each other, .+ under requiredOneofs of a manifest\)$/,
];

async function outputOf(api: Api, root: string) {
  const protos = api.protos.map((path) => join(root, path));
  return await generateFrom(registry.packages(protos, { protoPaths: [root] }), libraryOptions);
}

describe("the protos of public APIs", () => {
  const generated: string[] = [];

  it.each(apis.map((api) => [api.name, api] as const))(
    "a client and a server of %s are generated, and the report lists only limits of transports",
    patient,
    async (_, api) => {
      const root = rootOf(api);
      if (root === undefined) {
        console.log(`${api.name} is skipped: the npm package ${api.package} is not installed`);
        return;
      }
      const output = await outputOf(api, root);
      writeTo(join("apis", api.name), output);
      generated.push(api.name);
      const lines = output.omissions.map(
        ({ target, subject, reason }) => `${target}: ${subject.split(" ")[0] ?? ""} (${reason})`,
      );
      const isExpected = (line: string): boolean =>
        [...expected, ...(api.omissions ?? [])].some((pattern) => pattern.test(line));
      expect(lines.filter((line) => !isExpected(line))).toEqual([]);
      expect(output.files.some(({ path }) => path.endsWith("client/grpc.ts"))).toBe(true);
    },
  );

  it("the clients and servers of all these APIs compile under every flag", patient, async () => {
    if (generated.length === 0) return;
    const project = { name: "apis", include: ["apis/**/*"], surrounding: "node", options } as const;
    expect(await complaintsOf("typescript-7", project)).toEqual([]);
  });
});
