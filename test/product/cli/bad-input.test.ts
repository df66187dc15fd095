import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";

/** Each case: what is wrong, the files of the project, the arguments, and the lines that the user sees. */
type Case = readonly [
  what: string,
  files: Record<string, string>,
  args: readonly string[],
  ...lines: readonly string[],
];

const generate = (...args: string[]) => ["generate", "--out", "out", ...args];
const own = "Name a folder of its own behind --out, such as src/a2a.";
const restore = "Restore the file from version control, or remove it and run again with --force.";
const keys =
  "The keys are $schema, spec, schema, manifest, out, targets, templates, runtime, agent, aliases, dropExpired, importExtension.";
const config = (text: string) => ({ "a.proto": smallProto, "a2a-codegen.config.json": text });
const base = { "a.proto": smallProto, "dir/file": "x" };

const cases: readonly Case[] = [
  [
    "a version that is not there",
    {},
    generate("--spec", "9.9"),
    expect.stringMatching(
      /^there is no specification "9\.9"\. Name one of the versions 1\.1-draft, 1\.0, .*, or the path of a proto or JSON Schema\.$/,
    ) as string,
  ],
  [
    "a part of a version",
    {},
    generate("--spec", "0.3"),
    expect.stringMatching(
      /^there is no specification "0\.3"\. Did you mean 0\.3\.0\? Name one of the versions 1\.1-draft, 1\.0, /,
    ) as string,
  ],
  [
    "a key that is misspelt",
    config('{ "target": [] }'),
    ["generate"],
    `a2a-codegen.config.json:1:3: "target" is no key of the configuration. Did you mean targets? ${keys}`,
  ],
  ["a folder as a proto", base, generate("--spec", "dir"), '"dir" is a folder. Name the proto or JSON Schema in it.'],
  [
    "a proto that is not there",
    base,
    generate("--spec", "nofile.proto"),
    expect.stringMatching(
      /^there is no file "nofile\.proto"\. Correct the path, or name one of the versions 1\.1-draft, 1\.0, /,
    ) as string,
  ],
  [
    "a path that leads nowhere",
    base,
    generate("--spec", "dir/nothing"),
    expect.stringMatching(/^there is no file "dir\/nothing"\. Correct the path, or name one of /) as string,
  ],
  [
    "a URL as a specification",
    {},
    generate("--spec", "https://example.org/a2a.proto"),
    '"https://example.org/a2a.proto" is a URL, and specifications are files. Download it, and name the file.',
  ],
  [
    "JSON that is not a JSON Schema",
    { "x/package.json": '{ "name": "x", "scripts": {}, "dependencies": {} }' },
    generate("--spec", "x/package.json"),
    'x/package.json:1:1: the file is not a JSON Schema. Name one that has types under "definitions".',
  ],
  [
    "a JSON Schema without a type",
    { "x/a.json": '{ "definitions": {} }' },
    generate("--spec", "x/a.json"),
    "x/a.json:1:1: the file defines no types. Name a JSON Schema that does.",
  ],
  [
    "a JSON Schema without a type beside a proto",
    { ...base, "x/a.json": "{}" },
    generate("--spec", "a.proto", "--schema", "x/a.json"),
    "x/a.json:1:1: the file defines no types. Name a JSON Schema that does.",
  ],
  [
    "a folder as a document",
    base,
    ["validate", "Message", "dir"],
    '"dir" is a folder. Name a file, a URL, or - for standard input.',
  ],
  [
    "a manifest that is not there",
    {},
    generate("--manifest", "nope"),
    'there is no manifest "nope". Name a bundled version or the path of a YAML file.',
  ],
  [
    "a syntax error",
    { "x/a.proto": 'syntax = "proto3";\nmessage A {\n  string a = 1\n}' },
    generate("--spec", "x/a.proto"),
    'x/a.proto:3:15: ";" is missing before "}". Add it.',
  ],
  [
    "a syntax error in an import",
    { "x/a.proto": 'syntax = "proto3";\nimport "y/b.proto";', "x/y/b.proto": 'syntax = "proto3";\nmessage' },
    generate("--spec", "x/a.proto"),
    "x/y/b.proto:2:1: the file ends in the middle of a statement. Complete the statement.",
  ],
  [
    "a missing import",
    { "a.proto": 'syntax = "proto3";\nimport "b.proto";\nmessage A {}' },
    generate("--spec", "a.proto"),
    'a.proto:2:8: the import "b.proto" is not there. Put the file at that path, relative to the main proto.',
  ],
  [
    "several problems",
    { "a.proto": 'syntax = "proto3";\nmessage A {\n  B b = 1;\n  C c = 2;\n}' },
    generate("--spec", "a.proto"),
    'a.proto:3:5: field "b" has the type "B", which is not declared. Correct the name, or import the file that declares it.',
    'a.proto:4:5: field "c" has the type "C", which is not declared. Correct the name, or import the file that declares it.',
  ],
  [
    "an empty proto",
    { "a.proto": "" },
    generate("--spec", "a.proto"),
    "a.proto:1:1: the file is empty. Name a proto with messages and services.",
  ],
  [
    "a manifest with an unknown key",
    { ...base, "m.yaml": "nope: 1\n" },
    generate("--spec", "a.proto", "--manifest", "m.yaml"),
    'm.yaml:1:7: "nope" is no key of a manifest. Remove it, or see spec/manifest.schema.json for the keys.',
  ],
  [
    "a manifest that extends nothing",
    { ...base, "m.yaml": "extends: nope.yaml\n" },
    generate("--spec", "a.proto", "--manifest", "m.yaml"),
    'm.yaml: the manifest extends "nope.yaml", which is not there. Correct the path behind "extends".',
  ],
  [
    "manifests that extend one another",
    { ...base, "m.yaml": "extends: n.yaml", "n.yaml": "extends: m.yaml" },
    generate("--spec", "a.proto", "--manifest", "m.yaml"),
    expect.stringMatching(
      /^[mn]\.yaml: the manifests extend one another\. Correct the path behind "extends"\.$/,
    ) as string,
  ],
  [
    "an output folder that is a file",
    base,
    ["generate", "--out", "dir/file"],
    `the output folder "dir/file" is not a folder. ${own}`,
  ],
  [
    "an output folder below a file",
    base,
    ["generate", "--out", "dir/file/out"],
    `the output folder "dir/file/out" lies below a file. ${own}`,
  ],
  [
    "an output folder that is the project",
    base,
    ["generate", "--out", "."],
    `the output folder "." is a whole project. ${own}`,
  ],
  [
    "an output folder around the project",
    base,
    ["generate", "--out", "../.."],
    `the output folder "../.." holds the folder that the command runs in. ${own}`,
  ],
  [
    "an agent that is a folder",
    base,
    generate("--agent", "dir"),
    'the agent skeleton "dir" is a folder. Name a file behind --agent, such as src/agent.ts.',
  ],
  [
    "an agent in the place of a generated file",
    { "package.json": "{}" },
    generate("--agent", "out/models.ts"),
    "out/models.ts: the output has a file of this name, so that the agent cannot stand there. " +
      'Choose another file with --agent, or as "agent" in the configuration.',
  ],
  [
    "an agent below a file",
    base,
    generate("--agent", "dir/file/agent.ts"),
    'the agent skeleton "dir/file/agent.ts" lies below a file. Name a file behind --agent, such as src/agent.ts.',
  ],
  ...(existsSync("/dev/null")
    ? [
        [
          "a device as a proto",
          base,
          generate("--spec", "/dev/null"),
          '"/dev/null" is not a file. Name a proto or JSON Schema.',
        ] as const,
        [
          "a device as the output folder",
          base,
          ["generate", "--out", "/dev/null", "--targets", "models"],
          expect.stringMatching(/^the output folder ".*\/dev\/null" is not a folder\. /) as string,
        ] as const,
        [
          "a device as an agent",
          base,
          generate("--agent", "/dev/null"),
          expect.stringMatching(
            /^the agent skeleton ".*\/dev\/null" is a device, a pipe or a socket, and not a file\. /,
          ) as string,
        ] as const,
        [
          "doc comments that are outside of the project",
          { ...base, "m.yaml": "docs: ../../../../../../../../etc/passwd\n" },
          generate("--spec", "a.proto", "--manifest", "m.yaml"),
          'm.yaml: the manifest names "../../../../../../../../etc/passwd" under "docs", which is neither below its folder nor below the project. Put the file beside the manifest.',
        ] as const,
        [
          "a document without an end",
          base,
          ["validate", "Message", "/dev/zero", "--max-bytes", "100000"],
          "/dev/zero has more than 100000 bytes. Check that it is the right document, or allow more with --max-bytes.",
        ] as const,
      ]
    : []),
  ...["x", "0", "-1"].map(
    (number) =>
      [
        `${number} as a limit`,
        base,
        ["validate", "Message", "a.json", `--max-bytes=${number}`],
        "--max-bytes is no number above 0. Give it a number of bytes.",
      ] as const,
  ),
  ...(existsSync("/proc/self")
    ? [
        [
          "an output folder where there can be none",
          {},
          ["generate", "--out", "/proc/a2a-codegen/out", "--targets", "models"],
          expect.stringMatching(/^the folder ".*\/proc" cannot be written to, and the output folder /) as string,
        ] as const,
        [
          "an agent where there can be none",
          {},
          ["generate", "--agent", "/proc/a2a-codegen/agent.ts", "--targets", "models"],
          expect.stringMatching(/ is in a folder that cannot be written to\. Name a file behind --agent, /) as string,
        ] as const,
      ]
    : []),
  [
    "templates that are not there",
    base,
    generate("--templates", "nope"),
    'there is no folder "nope" with templates. Correct the path behind --templates.',
  ],
  [
    "a template that replaces nothing",
    { "mine/nope.hbs": "" },
    generate("--templates", "mine"),
    expect.stringMatching(/^mine\/nope\.hbs: the file replaces no template\. The templates are .*, index, /) as string,
  ],
  [
    "files behind --templates that are none",
    {
      "mine/.hidden/x.ts": "",
      "mine/README.md": "",
      "mine/index.hbs~": "",
      "mine/runtime/base/json.ts": "",
      "mine/x.json": "",
    },
    generate("--templates", "mine"),
    ...["runtime/base/json.ts", "x.json"].map(
      (file) =>
        `mine/${file}: the file replaces no template. Remove it: templates end in .hbs, and the modules of runtime/ are copied as they are.`,
    ),
  ],
  [
    "a template with a name that its view lacks",
    { "mine/index.hbs": "{{header}}\n{{nope}}" },
    generate("--templates", "mine"),
    'mine/index.hbs:2:3: the template cannot be rendered: "nope" is not in the view. Correct the template.',
  ],
  [
    "a template that does not parse",
    { "mine/index.hbs": "{{header}}\n{{#each exports}}" },
    generate("--templates", "mine"),
    expect.stringMatching(
      /^mine\/index\.hbs:2: the template cannot be rendered: .*\. Correct the template\.$/,
    ) as string,
  ],
  [
    "a configuration that is not there",
    base,
    generate("--config", "nope.json"),
    'there is no file "nope.json". Correct the path behind --config.',
  ],
  [
    "a configuration that is not valid JSON",
    config('{\n  "spec": \n}'),
    ["generate"],
    expect.stringMatching(
      /^a2a-codegen\.config\.json:3:1: the configuration is not valid JSON: .*\. Correct it, or remove it and run `a2a-codegen init`\.$/,
    ) as string,
  ],
  [
    "a configuration that is cut off",
    config("{"),
    ["generate"],
    expect.stringMatching(/^a2a-codegen\.config\.json:1:2: the configuration is not valid JSON: /) as string,
  ],
  [
    "a configuration that is a list",
    config("[]"),
    ["generate"],
    `a2a-codegen.config.json: the configuration is not a JSON object. ${keys}`,
  ],
  [
    "a configuration with mistakes",
    config('{\n  "nope": 1,\n  "out": 3,\n  "targets": [],\n  "importExtension": "mjs"\n}'),
    ["generate"],
    `a2a-codegen.config.json:2:3: "nope" is no key of the configuration. ${keys}`,
    `a2a-codegen.config.json:3:3: "out" is not a text. ${keys}`,
    `a2a-codegen.config.json:4:3: "targets" is an empty list. ${keys}`,
    `a2a-codegen.config.json:5:3: "importExtension" is not "js", "ts" or "none". ${keys}`,
  ],
  [
    "a target of the configuration that there is not",
    config('{ "targets": ["fly"] }'),
    ["generate"],
    'a2a-codegen.config.json:1:15: "fly" is no target. `a2a-codegen list` shows the targets.',
  ],
  [
    "two targets of the configuration that there are not",
    config('{\n  "targets": [\n    "fly",\n    "clinet"\n  ]\n}'),
    ["generate"],
    'a2a-codegen.config.json:3:5: "fly" is no target. `a2a-codegen list` shows the targets.',
    'a2a-codegen.config.json:4:5: "clinet" is no target. Did you mean client? `a2a-codegen list` shows the targets.',
  ],
  [
    "a configuration with values that are empty",
    config('{\n  "out": "",\n  "spec": [],\n  "targets": [1]\n}'),
    ["generate"],
    `a2a-codegen.config.json:2:3: "out" is empty. ${keys}`,
    `a2a-codegen.config.json:3:3: "spec" is an empty list. ${keys}`,
    `a2a-codegen.config.json:4:3: "targets" is not a list of names. ${keys}`,
  ],
  [
    "a specification that is listed twice",
    config('{\n  "spec": ["1.0", "a.proto", "1.0.1"]\n}'),
    ["generate"],
    'a2a-codegen.config.json:2:30: "1.0" and "1.0.1" are the same specification. Leave one of them out.',
  ],
  [
    "two files of one name",
    config('{ "spec": ["a.proto", "x/a.proto"] }'),
    ["generate"],
    'a2a-codegen.config.json:1:23: two specifications would be generated into the folder "a". Name each once, and give files different names.',
  ],
  [
    "a manifest for versions that have their own",
    {},
    ["diff", "1.0", "0.3.0", "--manifest", "1.0"],
    "--manifest is for specifications given by their paths, and 1.0 and 0.3.0 have manifests of their own. Leave it out.",
  ],
  [
    "a lock file that is not valid JSON",
    { "out/a2a-codegen.lock.json": "x" },
    generate(),
    `out/a2a-codegen.lock.json: the lock file is not valid JSON. ${restore}`,
  ],
  [
    "a folder as the lock file",
    { "out/a2a-codegen.lock.json/mine": "" },
    generate(),
    "out/a2a-codegen.lock.json: a folder is where the lock file has to go. Move it elsewhere.",
  ],
  [
    "a lock file of somebody else",
    { "out/a2a-codegen.lock.json": "{}" },
    generate(),
    `out/a2a-codegen.lock.json: the lock file is not one of a2a-codegen. ${restore}`,
  ],
  [
    "a lock file of a later version",
    { "out/a2a-codegen.lock.json": '{ "lockVersion": 2 }' },
    generate(),
    "out/a2a-codegen.lock.json: the lock file has the newer format 2. Use at least the version of a2a-codegen that wrote it.",
  ],
  [
    "a folder where a file has to go",
    { "out/index.ts/mine": "" },
    generate("--force"),
    "out/index.ts: a folder is where a file has to go. Move it elsewhere.",
  ],
];

describe("bad input", () => {
  const table = cases.map(([what, files, args, ...lines]) => ({ what, files, args, lines }));

  it.concurrent.each(table)(
    "($what) gets its lines, exit code 2, and leaves the project alone",
    async ({ files, args, lines }) => {
      const project = new Project(files);
      const before = project.files();
      const { code, stdout, stderr } = await project.run(args);
      expect(stderr.split("\n").slice(0, -1)).toEqual(lines);
      expect([code, stdout]).toEqual([2, ""]);
      expect(project.files()).toEqual(before);
    },
  );

  it("has its place in the document of --json", async () => {
    const project = new Project({ "a.proto": 'syntax = "proto3";\nmessage A {\n  B b = 1;\n}' });
    const { code, output } = await project.json("generate", "--spec", "a.proto");
    expect(code).toBe(2);
    expect(output.errors).toEqual([
      {
        location: { file: "a.proto", line: 3, column: 5 },
        message: 'field "b" has the type "B", which is not declared',
        hint: "Correct the name, or import the file that declares it",
      },
    ]);
  });
});
