import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder, packageVersion } from "../../../support/package-folder.js";
import { manifestSchema } from "../../../generator/input/manifest/schema.js";
import { readManifests } from "../../../generator/input/manifest/manifest.js";
import { Diagnostics } from "../../../support/diagnostics.js";
import { errorRoles } from "../../../generator/protocol/model/types.js";
import { anchors, codeBlocks, firstCells, links, readDocument } from "./markdown.js";
import { pagesBelow } from "./pages.js";

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "test/behaviour/interop/EARLY-VERSIONS.md",
  "test/behaviour/interop/RESULTS.md",
  "test/behaviour/interop/TOLERANCES.md",
  "test/product/docs/legacy.md",
  "test/product/docs/version-losses.md",
  ...pagesBelow("docs"),
  ...pagesBelow("examples"),
];

describe.each(documents)("the page %s", (document) => {
  const text = readDocument(document);

  it("the page links to existing pages and headings", () => {
    const inside = links(text).filter((target) => !/^https?:/.test(target));
    const broken = inside.filter((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? document : join(dirname(document), path);
      if (!existsSync(join(packageFolder, file))) return true;
      return anchor !== undefined && !anchors(readDocument(file)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it("the page names existing scripts and files of the repository", () => {
    const { scripts } = JSON.parse(readDocument("package.json")) as {
      scripts: Record<string, string>;
    };
    const used = [...text.matchAll(/npm run (?:-\w+ )?([\w:-]+)/g)].map(([, name = ""]) => name);
    expect(used.filter((name) => scripts[name] === undefined)).toEqual([]);
    const folders =
      /^(?:spec|generator|library|support|templates|tools|generated|examples|test|\.ci)\/[\w./-]*$/;
    const named = [...text.matchAll(/`([^`\n]+)`/g)]
      .map(([, code = ""]) => code)
      .filter((code) => folders.test(code));
    expect(named.filter((path) => !existsSync(join(packageFolder, path)))).toEqual([]);
  });
});

describe("the pages about examples", () => {
  it.each([
    ["docs/tutorial.md", "model", ["model.ts", "assistant.ts", "assistant-client.ts"]],
    [
      "docs/orchestrator.md",
      "orchestrator",
      ["orchestrator.ts", "specialists.ts", "orchestrator-client.ts"],
    ],
    [
      "docs/ai-sdk.md",
      "ai-sdk",
      ["clerk.ts", "clerk-client.ts", "chat-route.ts", "clerk-model.ts"],
    ],
    ["docs/langgraph.md", "langgraph", ["travel.ts", "travel-graph.ts", "travel-client.ts"]],
    ["docs/cloudflare.md", "cloudflare", ["worker.ts"]],
    ["docs/browser.md", "browser", ["page.ts", "page.html", "page-server.ts"]],
    ["README.md", "research-agent", ["agent.ts=main.ts", "client.ts"]],
  ])("the page %s shows the code of examples/%s", (page, folder, names) => {
    const plain = (code = "") =>
      code
        .replaceAll("../../generated/1.0/", "./a2a/")
        .replaceAll(/\s+/g, " ")
        .replaceAll(", }", " }");
    for (const [shown = "", file = shown] of names.map((name) => name.split("="))) {
      const block = codeBlocks(readDocument(page)).find((each) => each.file === shown);
      expect(plain(readDocument(`examples/${folder}/${file}`)), file).toBe(plain(block?.text));
    }
  });
});

describe("docs/manifest.md", () => {
  const text = readDocument("docs/manifest.md");
  /** Keys whose own keys have lines instead. */
  const groups = ["card", "correlate", "legacy", "operations"];

  it("the page has a line for exactly the keys of a manifest", () => {
    type Named = Record<string, { additionalProperties?: unknown }>;
    const { properties, definitions } = manifestSchema() as {
      properties: Named;
      definitions: Named;
    };
    const operation = properties["operations"]?.additionalProperties as { properties: object };
    const legacy = ["legacyProperties", "legacyMethods"].map(
      (name) => definitions[name]?.additionalProperties,
    );
    const entries = [definitions["legacyName"], ...legacy] as readonly { properties: object }[];
    const told = firstCells(text).filter((key) => !key.includes("."));
    const keys = [
      ...Object.keys(properties).filter((key) => !groups.includes(key)),
      ...Object.keys(operation.properties),
      ...new Set(entries.flatMap((entry) => Object.keys(entry.properties))),
    ];
    expect(told.toSorted()).toEqual(keys.toSorted());
  });

  it.each(["card", "correlate"])("the page has a line for exactly the keys of %s", (group) => {
    const { properties } = manifestSchema() as {
      properties: Record<string, { properties: object }>;
    };
    const keys = Object.keys(properties[group]?.properties ?? {}).map((key) => `${group}.${key}`);
    const told = firstCells(text).filter((key) => key.startsWith(`${group}.`));
    expect(told.toSorted()).toEqual(keys.toSorted());
  });

  it("the page names every role of an error", () => {
    expect(errorRoles.filter((role) => !text.includes(`\`${role}\``))).toEqual([]);
  });
});

describe("the manifests in the documents", () => {
  const manifests = documents.flatMap((file) =>
    codeBlocks(readDocument(file)).flatMap(({ flags, text }) =>
      flags.includes("manifest") ? [{ file, text }] : [],
    ),
  );

  it.each(manifests)("the manifest of $file is valid as an extension of its base", (example) => {
    const base = { file: "base", text: readDocument("spec/1.0/manifest.yaml") };
    const diagnostics = new Diagnostics();
    const { manifest } = readManifests(
      { manifests: [base, example], borrowed: false },
      diagnostics,
    );
    diagnostics.throwIfAny();
    expect(manifest.wireVersion).toBe("1.1");
  });
});

it("the changelog starts with the version of the package", () => {
  const [first] = [...readDocument("CHANGELOG.md").matchAll(/^## \[([^\]]+)\]/gm)];
  expect(first?.[1]).toBe(packageVersion());
});
