import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";

type Line = string | RegExp;

/**
 * Cases by what is wrong: arguments, or the text of a file. Each has the lines that the user sees.
 */
type Cases = Readonly<Record<string, Line | readonly Line[]>>;

const own = "Use a separate folder with --out, such as src/a2a.";
const restore = "Restore the file from version control, or remove it and run again with --force.";
const keys =
  "The keys are $schema, spec, schema, manifest, protoPaths, versions, extensions, out, targets, templates, runtime, agent, implementation, aliases, importExtension.";

/** Common files of all projects. */
const files = {
  "a.proto": smallProto,
  "x/a.proto": smallProto,
  "dir/file": "x",
  "broken/a.proto": 'syntax = "proto3";\nimport "y/b.proto";',
  "broken/y/b.proto": 'syntax = "proto3";\nmessage',
  "up/up.proto": 'syntax = "proto3";\nimport "../dir/file";',
  "several.proto": 'syntax = "proto3";\nmessage A {\n  B b = 1;\n  C c = 2;\n}',
  "json/package.json": '{ "name": "x", "scripts": {}, "dependencies": {} }',
  "json/a.json": '{ "definitions": {} }',
  "json/deep.json": `{ "definitions": { "A": ${'{ "allOf": ['.repeat(20_000)}${"] }".repeat(20_000)} } }`,
  "none.yaml": "extends: nope.yaml\n",
  "m.yaml": "extends: n.yaml",
  "n.yaml": "extends: m.yaml",
  "foreign.yaml": `docs: ${"../".repeat(20)}etc/passwd\n`,
  "mine/nope.hbs": "",
  "others/.hidden/x.ts": "",
  "others/README.md": "",
  "others/index.hbs~": "",
  "others/runtime/base/json.ts": "",
  "others/x.json": "",
};

const commands: Cases = {
  "generate --spec 9.9":
    /^the specification "9\.9" does not exist\. Use one of the versions 1\.1-draft, 1\.0, .*, or the path of a proto or JSON Schema\.$/,
  "generate --spec 0.4":
    /^the specification "0\.4" does not exist\. Did you mean 0\.4-draft\? Use one of the versions 1\.1-draft, 1\.0, /,
  "generate --spec dir":
    'the folder "dir" contains no protos. Specify a folder with files that end in .proto.',
  "generate --spec nofile.proto":
    /^the file "nofile\.proto" does not exist\. Correct the path, or use one of the versions 1\.1-draft, 1\.0, /,
  "generate --spec dir/nothing":
    /^the file "dir\/nothing" does not exist\. Correct the path, or use one of /,
  "generate --spec https://example.org/a2a.proto":
    '"https://example.org/a2a.proto" is a URL, but only files are supported. Download it, and specify the file.',
  "generate --spec json/package.json":
    'json/package.json:1:1: the file is not a JSON Schema. Specify a JSON Schema with types under "definitions".',
  "generate --spec json/a.json":
    "json/a.json:1:1: the file does not define a type. Specify a JSON Schema with definitions.",
  "generate --spec a.proto --schema json/a.json":
    "json/a.json:1:1: the file does not define a type. Specify a JSON Schema with definitions.",
  ...Object.fromEntries(
    [
      "generate --spec json/deep.json",
      "generate --spec a.proto --schema json/deep.json",
      "diff json/deep.json 1.0",
    ].map((command) => [
      command,
      "json/deep.json:1:1224: the schema nests deeper than 200 levels. Move inner schemas into definitions.",
    ]),
  ),
  "generate --spec a.proto --schema nope.json":
    'the JSON Schema "nope.json" does not exist. Correct the path.',
  "generate --manifest nope":
    'the manifest "nope" does not exist. Use a bundled version, "services", or the path of a YAML file.',
  "generate --spec broken/a.proto":
    "broken/y/b.proto:2:1: the file ends in the middle of a statement. Complete the statement.",
  "generate --spec up/up.proto":
    'up/up.proto:2:8: the import "../dir/file" is outside the folder of the main proto. Write the path without "..", relative to a folder above both files, and name that folder with --proto-path.',
  "generate --spec several.proto": [
    'several.proto:3:5: field "b" has the type "B", which is not declared. Correct the name, or import the file that declares it.',
    'several.proto:4:5: field "c" has the type "C", which is not declared. Correct the name, or import the file that declares it.',
  ],
  "generate --spec a.proto --manifest none.yaml":
    'none.yaml: the manifest extends "nope.yaml", which does not exist. Correct the path of "extends".',
  "generate --spec a.proto --manifest m.yaml":
    /^[mn]\.yaml: the manifests extend each other\. Correct the path of "extends"\.$/,
  "generate --out dir/file": `the output folder "dir/file" is not a folder. ${own}`,
  "generate --out dir/file/out": `the output folder "dir/file/out" is below a file. ${own}`,
  "generate --out .": `the output folder "." is the folder of a project. ${own}`,
  "generate --out ../..": `the output folder "../.." contains the working directory. ${own}`,
  "generate --out out --agent dir":
    'the program "dir" is a folder. Use a file with --agent or --implementation, such as src/agent.ts.',
  "generate --out out --agent out/models.ts":
    "out/models.ts: the agent has the path of a generated file. " +
    'Choose another file with --agent or "agent" in the configuration.',
  "generate --out out --agent dir/file/agent.ts":
    'the program "dir/file/agent.ts" is below a file. Use a file with --agent or --implementation, such as src/agent.ts.',
  ...(existsSync("/dev/zero") && {
    "generate --spec /dev/null": '"/dev/null" is not a file. Specify a proto or JSON Schema.',
    "generate --out /dev/null": /^the output folder ".*\/dev\/null" is not a folder\. /,
    "generate --agent /dev/null":
      /^the program ".*\/dev\/null" is a device, a pipe or a socket, not a file\. /,
    "generate --spec a.proto --manifest foreign.yaml":
      /^foreign\.yaml: "docs" in the manifest is ".*\/passwd", which is neither below its folder nor below the project\. Move the file next to the manifest\.$/,
    "validate Message /dev/zero --max-bytes 100000":
      "/dev/zero has more than 100000 bytes. Check the document, or increase the limit with --max-bytes.",
  }),
  "validate Message dir/file --max-bytes=0":
    "--max-bytes must be a number above 0. Set it to a number of bytes.",
  "validate Message dir/file --max-bytes=x": '--max-bytes must be a number, got "x". Write digits.',
  "validate Message dir/file --timeout=-1":
    "--timeout must be a number above 0. Set it to a number of seconds.",
  ...(existsSync("/proc/self") && {
    "generate --out /proc/a2a-codegen/out --targets models":
      /^the folder ".*\/proc" is read-only, so the output folder /,
    "generate --agent /proc/a2a-codegen/agent.ts --targets models":
      / is in a read-only folder\. Use a file with --agent or --implementation, /,
  }),
  "generate --templates nope":
    'the folder "nope" with templates does not exist. Correct the path in --templates.',
  "generate --templates mine":
    /^mine\/nope\.hbs: the file does not replace a template\. The templates are .*, index, /,
  "generate --templates others": ["runtime/base/json.ts", "x.json"].map(
    (file) =>
      `others/${file}: the file does not replace a template. Remove it: templates end in .hbs, and the modules of runtime/ cannot be replaced.`,
  ),
  "generate --config nope.json":
    'the file "nope.json" does not exist. Correct the path in --config.',
  "validate Message dir": '"dir" is a folder. Specify a file, a URL, or - for standard input.',
  "diff 1.0 0.3.0 --manifest 1.0":
    "--manifest is only for specifications with paths, but 1.0 and 0.3.0 have bundled manifests. Remove it.",
};

/** Texts of the configuration, which is named before each line. */
const configurations: Cases = {
  '{ "target": [] }': `:1:3: "target" is not a key of the configuration. Did you mean targets? ${keys}`,
  '{\n  "spec": \n}':
    /^:3:1: the configuration is not valid JSON: value expected\. Correct it, or remove it and run `a2a-codegen init`\.$/,
  "{": /^:1:2: the configuration is not valid JSON: /,
  ["[".repeat(200_000)]:
    ": the configuration nests too deeply. Remove the inner objects and lists.",
  "[]": ": the configuration must be an object. Correct it.",
  '{\n  "nope": 1,\n  "out": 3,\n  "targets": [],\n  "importExtension": "mjs"\n}': [
    `:2:3: "nope" is not a key of the configuration. ${keys}`,
    ':3:3: "out" must be a string. It specifies the folder of the output, such as src/a2a.',
    ':4:3: "targets" must not be an empty list. It specifies the targets to generate, such as client and server.',
    ':5:3: "importExtension" must be "js", "ts" or "none". It specifies the ending of relative imports.',
  ],
  '{\n  "out": "a\\u0000b"\n}':
    ':2:3: "out" must not contain a NUL character. It specifies the folder of the output, such as src/a2a.',
  '{\n  "spec": ["1.0", { "agent": 1, "nope": 1 }]\n}': [
    ':2:3: "spec[1]" requires "spec". Add it.',
    ':2:21: "spec[1].agent" must be a string. It specifies the agent skeleton, or the file that implements the service.',
    ':2:33: "spec[1].nope" is not a key of the configuration. The keys are spec, schema, manifest, protoPaths, agent, implementation.',
  ],
  '{ "targets": ["fly"] }': ':1:15: "fly" is not a target. `a2a-codegen list` prints the targets.',
  '{\n  "out": "",\n  "spec": [],\n  "targets": [1]\n}': [
    ':2:3: "out" must not be empty. It specifies the folder of the output, such as src/a2a.',
    ':3:3: "spec" must not be an empty list. It specifies a version of A2A, the path of a proto, a folder of protos or a JSON Schema, or a list of them.',
    ':4:3: "targets[0]" must be a string. Correct it.',
  ],
  '{ "spec": 1 }':
    ':1:3: "spec" must be a string or a list. It specifies a version of A2A, the path of a proto, a folder of protos or a JSON Schema, or a list of them.',
  '{ "spec": ["1.0", "a.proto", "1.0.1"] }':
    ':1:30: "1.0" and "1.0.1" are the same specification. Remove one of them.',
  '{ "spec": ["a.proto", "x/a.proto", "1.0"] }':
    ':1:23: two specifications would be generated into the folder "a". List each specification once, and rename files with equal names.',
};

const lock = "out/a2a-codegen.lock.json";

/** Content of the output folder: a path, a text, and its issue. */
const outputs: readonly (readonly [path: string, text: string, problem: string])[] = [
  [lock, "x", `the lock file is not valid JSON. ${restore}`],
  [lock, "{}", `the lock file was not written by a2a-codegen. ${restore}`],
  [
    lock,
    '{ "lockVersion": 2 }',
    "the lock file has the newer format 2. Use at least the version of a2a-codegen that wrote it.",
  ],
  [`${lock}/mine`, "", "a folder has the path of the lock file. Move it elsewhere."],
  ["out/index.ts/mine", "", "a folder has the path of a generated file. Move it elsewhere."],
];

async function expectRefusal(
  more: Record<string, string>,
  args: readonly string[],
  lines: readonly Line[],
) {
  const project = new Project({ ...files, ...more });
  const before = project.files();
  const { code, stdout, stderr } = await project.run(args);
  const expected = lines.map((line) =>
    typeof line === "string" ? line : (expect.stringMatching(line) as string),
  );
  expect(stderr.split("\n").slice(0, -1)).toEqual(expected);
  expect([code, stdout]).toEqual([2, ""]);
  expect(project.files()).toEqual(before);
}

const linesOf = (lines: Line | readonly Line[]): readonly Line[] => [lines].flat();

describe("bad input", () => {
  it.concurrent.each(Object.entries(commands))(
    "the command a2a-codegen %s exits with 2, a line for each mistake and no changes",
    async (command, lines) => {
      await expectRefusal({}, command.split(" "), linesOf(lines));
    },
  );

  it.concurrent.each(Object.entries(configurations))(
    "the configuration %.100j causes exit code 2, a line for each mistake and no changes",
    async (text, lines) => {
      const file = "a2a-codegen.config.json";
      const placed = linesOf(lines).map((line) =>
        typeof line === "string" ? file + line : new RegExp(line.source.replace("^", `^${file}`)),
      );
      await expectRefusal({ [file]: text }, ["generate"], placed);
    },
  );

  it.concurrent.each(outputs)(
    "an output with %s causes exit code 2, the message %j and no changes",
    async (path, text, problem) => {
      const args = ["generate", "--out", "out", ...(path.includes("index") ? ["--force"] : [])];
      await expectRefusal({ [path]: text }, args, [`${path.replace("/mine", "")}: ${problem}`]);
    },
  );

  it("control characters of documents are escaped in messages", async () => {
    const evil = "\u001b[31m\u0007\u009b\u202e";
    const schema = JSON.stringify({
      definitions: { [`A${evil}`]: { type: "object", properties: { a: 3 } } },
    });
    const project = new Project({
      "a.proto": `syntax = "proto3"; import "${evil}";`,
      "a.json": schema,
    });
    const safe = String.raw`\u001b[31m\u0007\u009b\u202e`;
    expect((await project.run("generate --spec a.proto")).stderr).toContain(safe);
    expect((await project.run("generate --spec a.proto --json")).stdout).toContain(safe);
    expect((await project.run("generate --spec a.json")).stderr).toContain(safe);
    project.write({ "card.json": JSON.stringify({ name: evil, [`${evil}\n`]: 1 }) });
    const { stdout } = await project.run("validate AgentCard card.json --strict");
    expect(stdout).toMatch(/not a valid AgentCard/);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it("the document of --json contains the location of a mistake", async () => {
    const project = new Project({ "a.proto": 'syntax = "proto3";\nmessage A {\n  B b = 1;\n}' });
    const { code, output } = await project.json("generate --spec a.proto");
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
