import { join } from "node:path";
import Handlebars from "handlebars";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { loadAssets } from "../../../../generator/project/assets.js";
import { extensionOf } from "../../../../generator/input/extension.js";
import { generate } from "../../../../generator/core/generate.js";
import type { Assets } from "../../../../generator/core/contract.js";
import { unchecked } from "../../../../generator/core/headers.js";
import { Renderer } from "../../../../generator/render/render.js";
import { specRegistry } from "../../../../generator/input/registry.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { targets } from "../../../../generator/targets/registry.js";
import { findSource, textOf } from "../../../support/output.js";
import { libraryName } from "../../../../generator/core/package-names.js";

const assets = loadAssets();
const options = {
  targets: targets.map(({ name }) => name),
  importExtension: "js",
  aliases: "all",
  generator: "0.0.0",
  agentImport: "./a2a",
} as const;
const everything = join("test", "fixtures", "everything", "everything.proto");

/** An output that imports the package. */
const packaged = { ...options, runtimeImport: libraryName };

/** A version that uses the errors of the package, and a version with other errors. */
const packages = [findSource("1.0"), findSource("0.3.0")];

const note = JSON.stringify({
  $id: "urn:note",
  title: "Note",
  description: "A note.",
  type: "string",
});
const extensions = [extensionOf({ file: "note.json", text: note })];

/**
 * Two versions, of which one has an adapter for the other, and an extension; and services that are
 * not agents, in one package and in several packages.
 */
const sources = [
  { ...findSource("1.0"), versions: [findSource("0.3.0")], extensions },
  findSource("0.3.0"),
  findSource(join("test", "fixtures", "services", "shop.proto")),
  specRegistry(packageFolder).packages([join("test", "fixtures", "services", "packages")]),
];

const withTemplate = (
  name: string,
  text: string,
  overrides?: ReadonlyMap<string, string>,
): Assets => ({
  ...assets,
  templates: new Map([...assets.templates, [name, text]]),
  ...(overrides && { overrides }),
});

type Node = hbs.AST.Node & Partial<Record<string, unknown>>;

/** Every node of a syntax tree. */
function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesOf(item);
  else if (typeof value === "object" && value !== null) {
    if ("type" in value && typeof value.type === "string") yield value as Node;
    for (const [key, member] of Object.entries(value))
      if (key !== "loc" && key !== "strip") yield* nodesOf(member);
  }
}

const treeOf = (name: string) => [...nodesOf(Handlebars.parse(assets.templates.get(name) ?? ""))];

describe("a template", () => {
  const names = [...assets.templates.keys()];

  it("compilers in projects of users check the code of the user's own templates", async () => {
    const name = "client/routes";
    const text = assets.templates.get(name) ?? expect.fail();
    const codeOf = async (changed: Assets) => {
      const { files } = await generate(findSource("1.0"), changed, options);
      return files.find(({ path }) => path === "client/routes.ts")?.text;
    };
    const own = await codeOf(withTemplate(name, text, new Map([[name, "routes.hbs"]])));
    expect(await codeOf(assets)).toContain(unchecked);
    expect(own).not.toContain("@ts-nocheck");
  });

  it.each(names)(
    "the template %s uses blocks and partials, and no helper that could contain logic",
    (name) => {
      for (const node of treeOf(name)) {
        if (node.type === "BlockStatement" || node.type === "SubExpression") {
          const { path } = node as unknown as { path: { original: string } };
          expect(["each", "if", "unless", "with"]).toContain(path.original);
        }
        if (node.type === "MustacheStatement")
          expect((node as unknown as { params: unknown[] }).params).toEqual([]);
        if (node.type === "Decorator" || node.type === "DecoratorBlock") expect.fail("a decorator");
      }
    },
  );

  it("each template and each partial is used by a target", async () => {
    const used = new Set<string>();
    const templates = {
      get: (name: string) => (used.add(name), assets.templates.get(name)),
      [Symbol.iterator]: () => assets.templates[Symbol.iterator](),
    } as unknown as Assets["templates"];
    for (const source of sources) await generate(source, { ...assets, templates }, options);
    for (const source of packages) await generate(source, { ...assets, templates }, packaged);
    for (const name of names) {
      for (const node of used.has(name) ? treeOf(name) : []) {
        if (node.type === "PartialStatement")
          used.add(`partials/${(node as unknown as { name: { original: string } }).name.original}`);
      }
    }
    expect([...used].sort()).toEqual([...names].sort());
  });
});

/** Views that the targets pass to the templates, for specifications that use all of them. */
async function renderedViews() {
  const views = new Map<string, object[]>();
  const spy = vi.spyOn(Renderer.prototype, "render");
  try {
    for (const source of [...sources, findSource(everything)])
      await generate(source, assets, options);
    for (const source of packages) await generate(source, assets, packaged);
    for (const [name, view] of spy.mock.calls) views.set(name, [...(views.get(name) ?? []), view]);
  } finally {
    spy.mockRestore();
  }
  return views;
}

/** Paths in a template, except for the names of partials. */
const pathsOf = (name: string) =>
  treeOf(name).flatMap((node) =>
    node.type === "PathExpression" ? [(node as unknown as { original: string }).original] : [],
  );

describe("a path that a template names", () => {
  const blocks = ["each", "if", "unless", "with", "this", "doc", "head", "method"];
  const named = [...assets.templates.keys()].flatMap((name) =>
    [...new Set(pathsOf(name))]
      .filter((path) => !blocks.includes(path) && !/^[@.]|\.\d+$/.test(path))
      .map((path) => [name, path]),
  );
  let views = new Map<string, object[]>();

  beforeAll(async () => {
    views = await renderedViews();
  });

  it.each(named)(
    "the template fails if the view has no such path (%s: %s)",
    async (name = "", path = "") => {
      const last = path.split(".").at(-1) ?? "";
      const place = new RegExp(
        `(\\{\\{(?:[#/]?\\w+ |> \\w+ )?(?:\\.\\./|\\w+\\.)*)${last.replace(/[[\]]/g, "\\$&")}(?=[.} ])`,
        "g",
      );
      const text = assets.templates.get(name) ?? "";
      const misspelt = text.replaceAll(place, "$1misspelt");
      expect(misspelt, `the test finds ${path} in ${name}`).not.toBe(text);
      const renderer = await Renderer.load(new Map([...assets.templates, [name, misspelt]]));
      const users = name.startsWith("partials/") ? [...views.keys()] : [name];
      const renderAll = () => {
        for (const user of users)
          for (const view of views.get(user) ?? []) renderer.render(user, view);
      };
      expect(renderAll).toThrow(/not defined|is missing from the view/);
    },
  );
});

describe("a template of the user", () => {
  it("a template of the user replaces the bundled template", async () => {
    const result = await generate(
      findSource("1.0"),
      withTemplate("index", "{{header}}\n// mine\n"),
      options,
    );
    expect(textOf(result, "index.ts")).toMatch(/^\/\/ @generated .*\n\/\/ mine\n$/);
  });

  const files = new Map([
    ["index", "mine/index.hbs"],
    ["partials/doc", "mine/partials/doc.hbs"],
  ]);

  it.each([
    [
      "index",
      "{{header}}\n{{nope}}",
      'mine/index.hbs:2:3: the template cannot be rendered: "nope" is missing from the view. Correct the template.',
    ],
    [
      "index",
      "{{header}}\n\n{{#each exports}}",
      "mine/index.hbs:3: the template cannot be rendered: Expecting ",
    ],
    [
      "index",
      "{{#if nope}}{{/if}}",
      "mine/index.hbs: the template cannot be rendered: the argument of {{#if}} is missing from the view. Correct the template.",
    ],
    [
      "index",
      "{{> nope}}",
      "mine/index.hbs: the template cannot be rendered: The partial nope could not be found. Correct the template.",
    ],
    [
      "index",
      "{{shout header}}",
      "mine/index.hbs:1:1: the template cannot be rendered: You specified knownHelpersOnly, but used the unknown helper shout. Correct the template.",
    ],
    [
      "partials/doc",
      "{{nope}}",
      'mine/partials/doc.hbs:1:3: the template cannot be rendered: "nope" is missing from the view. Correct the template.',
    ],
  ])(
    "a template (%s) that contains %j is refused with its location",
    async (name, text, problem) => {
      const message: unknown = await generate(
        findSource("1.0"),
        withTemplate(name, text, files),
        options,
      ).then(
        () => "nothing was wrong",
        (error: unknown) => (error instanceof Error ? error.message : error),
      );
      expect(message).toEqual(expect.stringContaining(problem));
    },
  );
});

it("a template cannot print to the terminal with the helper `log`", async () => {
  const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const renderer = await Renderer.load(new Map([["page", '{{log "\u001b[2J"}}text']]));
  expect(() => renderer.render("page", {})).toThrow();
  expect(print).not.toHaveBeenCalled();
  print.mockRestore();
});
