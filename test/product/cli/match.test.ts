import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { specRegistry } from "../../../generator/input/registry.js";
import { packageFolder } from "../../../support/package-folder.js";
import { Project, smallProto } from "./command.js";

const published = (path: string) => readFileSync(join(packageFolder, "spec", path), "utf8");

/** The bundled version that a file is found to be like, and the manifests that it gets. */
function find(name: string, text: string) {
  const project = new Project({ [name]: text });
  const { match, manifests, borrowed } = specRegistry(project.folder).find(name);
  return { match, borrowed, manifest: manifests.at(-1)?.file.replaceAll("\\", "/") };
}

describe("a published file that is given by its path", () => {
  it.each([
    ["1.0", "a2a.proto", "1.0.1"],
    ["0.4-draft", "a2a.proto", "0.4-draft"],
    ["0.3.0", "a2a.proto", "0.3.0"],
    ["0.3.0", "a2a.json", "0.3.0"],
    ["0.2.6", "a2a.proto", "0.2.6"],
    ["0.2.6", "a2a.json", "0.2.6"],
    ["0.2.1", "a2a.json", "0.2.1"],
    ["0.1.0", "a2a.json", "0.1.0"],
  ])("the file gets the manifest of its version: %s/%s", (id, name, version) => {
    const found = find(name, published(`${id}/${name}`));
    const manifest = `spec/${id}/manifest.yaml`;
    expect(found).toEqual({ match: { id, version, differences: 0 }, borrowed: true, manifest });
  });

  it("the file is recognized with other comments, another layout and another order of declarations", () => {
    const proto = published("1.0/a2a.proto")
      .replaceAll(/^\s*\/\/.*$/gm, "")
      .replaceAll(/\n\s+/g, "\n  // A comment.\n");
    const [, task = ""] =
      /(\nmessage Task \{.*?\n\s*\})\s*(?=\n\s*(?:\/\/.*\n\s*)*(?:enum|message) )/s.exec(proto) ??
      [];
    expect(task).toContain("artifacts");
    expect(find("a2a.proto", proto.replace(task, "") + task).match?.differences).toBe(0);
    const { definitions, ...rest } = JSON.parse(published("0.3.0/a2a.json")) as {
      definitions: object;
    };
    const reversed = Object.fromEntries(Object.entries(definitions).toReversed());
    const described = { $comment: "A comment.", definitions: reversed, ...rest };
    expect(find("a2a.json", JSON.stringify(described)).match?.differences).toBe(0);
  });

  it("the file gets no manifest if a field number differs, and the message names the nearest version", () => {
    const proto = published("1.0/a2a.proto").replace(
      "string context_id = 2",
      "string context_id = 200",
    );
    const found = find("a2a.proto", proto);
    expect(found).toEqual({
      match: { id: "1.0", version: "1.0.1", differences: 2 },
      borrowed: false,
    });
  });

  it("the user can choose a different manifest", () => {
    const project = new Project({ "a2a.proto": published("1.0/a2a.proto") });
    const { match, manifests } = specRegistry(project.folder).find("a2a.proto", {
      manifest: "1.0.0",
    });
    expect(match).toBeUndefined();
    expect(manifests).toHaveLength(2);
  });
});

describe("a file that is not A2A", () => {
  it("the file resembles none of the bundled versions", () => {
    expect(find("small.proto", smallProto)).toEqual({ borrowed: false });
    expect(find("broken.json", "{")).toEqual({ borrowed: false });
    expect(find("other.json", '{ "definitions": { "Task": { "type": "object" } } }')).toEqual({
      borrowed: false,
    });
  });
});

describe("the report of a run", () => {
  it("the report names the version whose manifest is used", async () => {
    const project = new Project({ "a2a.proto": published("1.0/a2a.proto") });
    const { stdout } = await project.run("generate --spec a2a.proto");
    expect(stdout).toContain("  a2a.proto matches A2A 1.0.1, so its manifest is used\n");
    expect(stdout).toContain("11 operations, 16 errors");
  });

  it("the report names the nearest version and how to use its manifest", async () => {
    const edited = published("1.0/a2a.proto").replace(
      "string context_id = 2",
      "string context_id = 200",
    );
    const project = new Project({ "a2a.proto": edited });
    const { stdout } = await project.run("generate --spec a2a.proto --targets models");
    expect(stdout).toContain(
      "the nearest is A2A 1.0.1, with 2 differences: --manifest 1.0 uses its manifest\n",
    );
    const { output } = await project.json("generate --spec a2a.proto --targets models --force");
    expect(output["match"]).toEqual({ id: "1.0", version: "1.0.1", differences: 2 });
  });
});
