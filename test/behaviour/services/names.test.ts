import { expect, it } from "vitest";
import { typeProblems } from "../../product/types/compile.js";
import { generateFrom, libraryOptions, moduleText, textOf } from "../../support/output.js";
import { outputNames } from "../../../generator/protocol/names/reserved.js";
import { servicesSource } from "./shop.js";

const head = 'syntax = "proto3";\npackage shop.v1;\n';

it("each service has unique names, also if a message or the output has such a name", async () => {
  const proto = `
    service Error { rpc Get(A) returns (A); }
    service Orders { rpc Get(A) returns (A); rpc Close(A) returns (A); rpc Then(A) returns (A); }
    service A2A { rpc Get(A) returns (A); }
    message A {}
    message Client {}
    message OrdersClient {}
  `;
  const generated = await generateFrom(servicesSource(head + proto));
  const client = textOf(generated, "client/client.ts");
  const classes = [...client.matchAll(/^export class (\w+)/gm)].map(([, name]) => name);
  expect(classes).toEqual(["ErrorClient", "ShopV1OrdersClient", "ShopV1A2AClient"]);
  expect(client).toMatch(/^ {2}get\(request: A = \{\}/m);
  expect(client).toMatch(/^ {2}close_\(request: A = \{\}/m);
  expect(client).toMatch(/^ {2}then_\(request: A = \{\}/m);
  expect(moduleText(generated, "models")).toContain("export type OrdersClient =");
});

it("services of several packages have different names, also if both are called the same", async () => {
  const main = `${head}import "other.proto";
    service Orders { rpc Get(other.v1.A) returns (other.v1.A); }`;
  const other = `syntax = "proto3"; package other.v1; message A { string id = 1; }
    service Orders { rpc Get(A) returns (A); rpc List(A) returns (A); }`;
  const generated = await generateFrom(servicesSource(main, { "other.proto": other }));
  const client = textOf(generated, "client/client.ts");
  expect([...client.matchAll(/^export function (connect\w+)/gm)].map(([, name]) => name)).toEqual([
    "connectOrders",
    "connectOtherV1Orders",
  ]);
});

it("the output of services compiles with all flags, also if names collide", async () => {
  const proto = `
    import "google/protobuf/empty.proto";
    service Core { rpc Call(ServedService) returns (stream User); rpc Do(google.protobuf.Empty) returns (google.protobuf.Empty); }
    message ServedService { string services = 1; }
    message User { string id = 1; }
    message NotFoundError { string id = 1; }
    message Services { string id = 1; }
    message HttpOptions { User user = 1; }
  `;
  const generated = await generateFrom(servicesSource(head + proto));
  expect(await typeProblems(generated)).toEqual([]);
});

it("a message keeps its name if the output only exports a type of this name, which gets an underscore", async () => {
  const proto = `
    service Orders { rpc Get(Operation) returns (stream Call); }
    message Operation { Schema schema = 1; }
    message Call { ValidationError error = 1; }
    message Schema {}
    message ValidationError {}
    message Agent {}
  `;
  const generated = await generateFrom(servicesSource(head + proto));
  const models = moduleText(generated, "models");
  for (const name of ["Operation", "Call", "Schema", "ValidationError", "Agent"])
    expect(models).toMatch(new RegExp(`^export (?:type|interface) ${name}\\b`, "m"));
  expect(textOf(generated, "server/index.ts")).toContain("Operation as Operation_");
  expect(textOf(generated, "client/index.ts")).toContain("Call as Call_");
  expect(textOf(generated, "index.ts")).toContain("ValidationError as ValidationError_");
  expect(textOf(generated, "index.ts")).toContain("Schema as Schema_");
});

it("the output of services compiles if messages have the names of everything that it exports", async () => {
  const fields = outputNames.map((name, at) => `${name} f${String(at)} = ${String(at + 1)};`);
  const messages = outputNames.map((name) => `message ${name} { ${fields.slice(0, 3).join(" ")} }`);
  const rpcs = outputNames.map(
    (name, at) => `rpc Do${String(at)}(${name}) returns (stream ${name});`,
  );
  const proto = `service Client { ${rpcs.join("\n")} }\n${messages.join("\n")}`;
  const generated = await generateFrom(servicesSource(head + proto), libraryOptions);
  expect(await typeProblems(generated)).toEqual([]);
});

it("the output of a service without rpcs compiles without unused names", async () => {
  const proto = "service Empty {} service S { rpc Get(A) returns (A); } message A {}";
  const generated = await generateFrom(servicesSource(head + proto), libraryOptions);
  expect(await typeProblems(generated)).toEqual([]);
});

it("error messages contain the names of messages in the proto", async () => {
  const proto = "service S { rpc Get(Date) returns (Error); } message Date {} message Error {}";
  const generated = await generateFrom(servicesSource(head + proto));
  for (const module of ["validators", "protobuf"]) {
    expect(moduleText(generated, module)).toContain('"Date"');
    expect(moduleText(generated, module)).not.toContain('"Date_"');
  }
});

it("the report about services does not mention tasks, which only agents have", async () => {
  const proto = "service S { rpc Get(A) returns (A); } message A {}";
  const { omissions } = await generateFrom(servicesSource(head + proto));
  expect(omissions.map(({ target }) => target)).not.toContain("tasks");
});
