import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Project } from "./command.js";

const service = `syntax = "proto3";
package acme.v1;
import "shared/v1/money.proto";
message Order { shared.v1.Money price = 1; }
`;
const money = 'syntax = "proto3";\npackage shared.v1;\nmessage Money { int64 units = 1; }\n';
const tree = { "protos/acme/v1/service.proto": service, "protos/shared/v1/money.proto": money };
const spec = ["--spec", "protos/acme/v1/service.proto"];

describe("the folders that imports are relative to", () => {
  it("the root of imports is found above the proto by its package", async () => {
    const project = new Project(tree);
    expect(await project.run("generate", spec)).toMatchObject({ code: 0, stderr: "" });
    expect(project.read("src/a2a/models.ts")).toContain("export interface Money {");
    project.write({ "protos/shared/v1/money.proto": money.replace("units", "cents") });
    expect((await project.run("generate", spec, "--check")).code).toBe(1);
  });

  it("the root is found if the package begins with names that are not folders", async () => {
    const project = new Project({
      "api/v1/a.proto":
        'syntax = "proto3"; package acme.api.v1; import "api/v2/b.proto"; message A { B b = 1; }',
      "api/v2/b.proto": 'syntax = "proto3"; package acme.api.v1; message B { string b = 1; }',
    });
    expect(await project.run("generate --spec api/v1/a.proto")).toMatchObject({
      code: 0,
      stderr: "",
    });
  });

  it.each(["generate", "init --yes"])(
    "`%s` searches in each folder of --proto-path",
    async (command) => {
      const project = new Project({
        "own/a.proto": service,
        "more/shared/v1/money.proto": money,
        "none/x": "",
      });
      const roots = ["--proto-path", "none", "--proto-path", "more"];
      expect(await project.run(command.split(" "), "--spec own/a.proto", roots)).toMatchObject({
        code: 0,
      });
      if (command === "generate") return;
      expect(JSON.parse(project.read("a2a-codegen.config.json"))).toMatchObject({
        protoPaths: ["none", "more"],
      });
      await project.succeed("generate --check");
    },
  );

  it("`validate` and `diff` use the folders of --proto-path and of the configuration", async () => {
    const project = new Project({
      "own/a.proto": service,
      "more/shared/v1/money.proto": money,
      "order.json": '{ "price": { "units": "1" } }',
      "sub/a2a-codegen.config.json":
        '{ "spec": "../own/a.proto", "protoPaths": ["../more"], "out": "gen" }',
    });
    const roots = ["--proto-path", "more"];
    const checked = await project.run("validate Order order.json --spec own/a.proto", roots);
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    expect(await project.run("diff own/a.proto own/a.proto", roots)).toMatchObject({
      code: 0,
      stderr: "",
    });
    const configured = await project.run("generate --config sub/a2a-codegen.config.json");
    expect(configured).toMatchObject({ code: 0, stderr: "" });
  });

  it("an import that is in none of the folders is reported with the paths that were tried", async () => {
    const project = new Project({ "protos/acme/v1/service.proto": service });
    expect((await project.run("generate", spec)).stderr).toBe(
      'protos/acme/v1/service.proto:3:8: the import "shared/v1/money.proto" does not exist. Create the file ' +
        "protos/acme/v1/shared/v1/money.proto or protos/shared/v1/money.proto, or specify the folder that imports are " +
        "relative to with --proto-path.\n",
    );
    expect((await project.run("generate", spec, "--proto-path nope")).stderr).toMatch(
      /^the folder ".*nope" of imports does not exist\. Correct --proto-path, or `protoPaths` in the configuration\.\n$/,
    );
  });

  it("a link in a root does not lead out of the roots and the project", async () => {
    const [project, outside] = [
      new Project({ "protos/acme/v1/service.proto": service }),
      new Project({ home: money }),
    ];
    project.write({ "protos/shared/v1/x": "" });
    symlinkSync(outside.path("home"), project.path("protos/shared/v1/money.proto"));
    expect((await project.run("generate", spec)).stderr).toContain(
      "is a link to a file outside the folder",
    );
  });
});
