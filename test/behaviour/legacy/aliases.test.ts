import { build } from "esbuild";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { defaultTargets } from "../../../generator/targets/registry.js";
import type { Protocol } from "../../../generator/protocol/model/types.js";
import { readVersions } from "../../unit/generator/protocol/build/legacy-history.js";
import { complaintsOf } from "../../product/types/compile.js";
import { isTried } from "../../support/size.js";
import {
  findSource,
  generateFrom,
  libraryOptions,
  moduleText,
  textOf,
  writeTo,
} from "../../support/output.js";

const versions = readVersions().filter(
  ({ id, protocol }) => id !== "1.0.0" && isTried(id) && protocol.legacy.length > 0,
);
const functions = ["is", "assert", "validate", "parse"];

/** Code that uses every old name of a version, whose output is in a folder. */
function usesOf({ legacy, types, wire }: Protocol, folder: string) {
  const old = (kind: string) => legacy.filter((name) => name.kind === kind);
  const values = [
    ...old("types").flatMap((name) => [
      ...functions.map((before) => before + name.old),
      `${name.old}Schema`,
    ]),
    ...old("types").flatMap((name) =>
      types.some((type) => type.kind === "enum" && type.name === name.now) ? name.old : [],
    ),
    ...old("errors").map((name) => name.old),
  ];
  const aliases = old("types").map((name) => `type ${name.old}`);
  // Before 1.0 codecs have the names of the proto, which most of the aliases have no message of.
  const codecs =
    wire?.isProtoJson === true
      ? old("types").flatMap((name) => [`encode${name.old}`, `decode${name.old}`])
      : [];
  const shapes = old("types").map(
    (name) =>
      `export const same${name.old}: (value: ${name.old}) => ${name.now} = (value) => value;`,
  );
  const now = [...new Set(old("types").map((name) => `type ${name.now}`))];
  return [
    `import { ${[...values, ...aliases, ...now].join(", ")} } from "${folder}/index.js";`,
    ...(codecs.length === 0
      ? []
      : [`import { ${codecs.join(", ")} } from "${folder}/legacy-protobuf.js";`]),
    `export const all = [${[...values, ...codecs].join(", ")}];`,
    ...shapes,
  ].join("\n");
}

describe("the old names of types, functions and errors", () => {
  it("the old names compile in every version that has old names", async () => {
    const files = versions.map(async ({ id, protocol }) => {
      writeTo(`aliases-${id}`, await generateFrom(findSource(id), libraryOptions));
      return { path: `${id}.ts`, text: usesOf(protocol, `../aliases-${id}`) };
    });
    writeTo("aliases", { files: await Promise.all(files) });
    const project = { name: "aliases", include: ["aliases/*.ts"], surrounding: "node" } as const;
    expect(await complaintsOf("typescript-7", project)).toEqual([]);
  });

  it("the old names include the codecs of messages, unless the proto itself has such a name", async () => {
    const files = await generateFrom(findSource("0.3.0"));
    const aliases = textOf(files, "legacy-protobuf.ts");
    expect(aliases).toContain("  encodeSendMessageRequest as encodeTaskSendParams,\n");
    expect(aliases).not.toContain(" as encodeAuthenticationInfo");
    expect(moduleText(files, "protobuf")).toContain("export function encodeAuthenticationInfo(");
  });
});

describe("the names that are kept", () => {
  const everything = [...defaultTargets(), "schema"];

  it("no old names are kept with aliases none", async () => {
    const output = await generateFrom(findSource("1.0"), { aliases: "none", targets: everything });
    const paths = output.files.map(({ path }) => path);
    expect(paths.filter((path) => path.includes("legacy"))).toEqual([]);
    for (const { path, text } of output.files.filter((file) => !file.path.startsWith("runtime/")))
      expect(text, path).not.toMatch(/MessageSendParams|Called `|Written `|legacy/);
  });

  it("no old names are kept without the target, except for names in models", async () => {
    const output = await generateFrom(findSource("1.0"), {
      targets: ["models", "validators", "protobuf"],
    });
    expect(output.files.map(({ path }) => path).filter((path) => path.includes("legacy"))).toEqual(
      [],
    );
    expect(moduleText(output, "protobuf")).not.toContain("MessageSendParams");
  });

  it.each(["client", "server"])(
    "no old names are kept with %s, unless the target legacy is selected as well",
    async (name) => {
      const paths = async (...targets: readonly string[]) =>
        (await generateFrom(findSource("1.0"), { targets })).files.map(({ path }) => path);
      expect(await paths(name, "jsonrpc")).not.toContain("legacy.ts");
      expect(await paths(name, "jsonrpc", "legacy")).toContain("legacy.ts");
    },
  );
});

describe("a bundle", () => {
  const bundleOf = async (code: string) => {
    const stdin = {
      contents: code,
      resolveDir: join(packageFolder, "generated", "1.0"),
      loader: "ts",
    } as const;
    const options = {
      bundle: true,
      write: false,
      format: "esm",
      platform: "neutral",
      logLevel: "silent",
    } as const;
    const { outputFiles } = await build({ ...options, stdin });
    return outputFiles.map(({ text }) => text).join("");
  };

  it("a bundle contains none of the methods of other versions", async () => {
    const old = "tasks/sendSubscribe";
    expect(
      await bundleOf('export { connect, A2AClient, isMessageSendParams } from "./index.js";'),
    ).not.toContain(old);
    expect(await bundleOf('export { createAgent, fetchHandler } from "./index.js";')).not.toContain(
      old,
    );
  });
});
