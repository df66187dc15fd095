import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Project } from "./command.js";

const order = JSON.stringify({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://example.com/extensions/order/v1",
  title: "Order",
  type: "object",
  properties: { price: { $ref: "types/amount.json", "x-order": 1 } },
});
const amount = JSON.stringify({
  title: "Amount",
  type: "object",
  properties: { value: { type: "integer" } },
});
const args = ["generate", "--targets", "client", "--extension", "schemas/order.json"];
const missing =
  'schemas/order.json:1:162: "types/amount.json" refers to another file, which does not exist in the project. Add it ' +
  "to the project as types/amount.json, relative to the schema, or copy the definition into this file.\n";

describe("the files of an extension", () => {
  it("the schema may refer to files next to it, and a change of these files changes the output", async () => {
    const project = new Project({
      "schemas/order.json": order,
      "schemas/types/amount.json": amount,
    });
    expect(await project.run(args)).toMatchObject({ code: 0, stderr: "" });
    expect(project.read("src/a2a/extensions/order/models.ts")).toContain(
      "export interface Order {\n  price?: Amount;\n}",
    );
    await project.succeed(args, "--check");
    project.write({ "schemas/types/amount.json": amount.replace("value", "units") });
    expect((await project.run(args, "--check")).code).toBe(1);
  });

  it("a schema of a specification may refer to files, too", async () => {
    const project = new Project({
      "schemas/order.json": order,
      "schemas/types/amount.json": amount,
    });
    await project.succeed("generate --spec schemas/order.json");
    expect(project.read("src/a2a/models.ts")).toContain("export interface Amount {");
  });

  it("a file that does not exist is reported with the location of the reference", async () => {
    const project = new Project({ "schemas/order.json": order });
    expect(await project.run(args)).toMatchObject({ code: 2, stderr: missing });
  });

  it("references and links do not lead out of the project", async () => {
    const [project, outside] = [
      new Project({ "schemas/types/x": "" }),
      new Project({ "amount.json": amount }),
    ];
    project.write({ "schemas/order.json": order });
    symlinkSync(outside.path("amount.json"), project.path("schemas/types/amount.json"));
    expect(await project.run(args)).toMatchObject({ code: 2, stderr: missing });
    const paths = [
      outside.path("amount.json"),
      `${"../".repeat(20)}${outside.path("amount.json").slice(1)}`,
    ];
    for (const path of [
      ...paths,
      `file://${paths[0] ?? ""}`,
      "http://127.0.0.1:9/amount.json",
      "a\0b",
    ]) {
      project.write({
        "schemas/order.json": order.replace('"types/amount.json"', JSON.stringify(path)),
      });
      expect(await project.refusal(args)).toContain("refers to another file, which does not exist");
    }
  });

  it("files above the schema are read within the project", async () => {
    const project = new Project({ "types/amount.json": amount });
    project.write({
      "schemas/order.json": order.replace("types/amount.json", "../types/amount.json"),
    });
    expect(await project.run(args)).toMatchObject({ code: 0, stderr: "" });
  });
});
