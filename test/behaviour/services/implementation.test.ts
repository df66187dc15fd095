import { join } from "node:path";
import { expect, it } from "vitest";
import { specRegistry } from "../../../generator/input/registry.js";
import type { Generated, GenerateOptions, OutputFile } from "../../../generator/core/contract.js";
import type { SpecSource } from "../../../generator/input/source.js";
import { packageFolder } from "../../../support/package-folder.js";
import { typeProblems } from "../../product/types/compile.js";
import { generateFrom, libraryOptions, writeTo } from "../../support/output.js";
import { all, servicesSource, shopSource, started, streamOf, type Shop } from "./shop.js";

/** Returns an output with the user's files next to it. */
async function projectOf(
  source: SpecSource,
  options: Partial<GenerateOptions> = {},
): Promise<Pick<Generated, "files">> {
  const given = { ...libraryOptions, agentImport: "./out", ...options };
  const { files, agent = "", implementations } = await generateFrom(source, given);
  const output = files.map(({ path, text }): OutputFile => ({ path: `out/${path}`, text }));
  return { files: [...output, ...implementations, { path: "server.ts", text: agent }] };
}

/** Services and messages whose names the files of the skeleton use themselves. */
const colliding = servicesSource(`syntax = "proto3";
package odd.v1;
service Promise {
  rpc Get(CallContext) returns (Void);
  rpc Follow(Orders) returns (stream Orders);
}
service OrdersService { rpc Get(Orders) returns (stream UnimplementedError_); }
service HTTPApi { rpc Get(Orders) returns (services); }
service HttpApi { rpc Get(Orders) returns (host); }
message CallContext {}
message Void {}
message Orders {}
message UnimplementedError_ {}
message host {}
message services {}
`);

it("the skeletons of services compile under the strictest flags", async () => {
  const packages = specRegistry(packageFolder).packages(["test/fixtures/services/packages"]);
  const projects = [
    await projectOf(shopSource),
    await projectOf(shopSource, { targets: ["server", "rest"] }),
    await projectOf(packages),
    await projectOf(colliding),
  ];
  expect(await typeProblems(...projects)).toEqual([]);
});

it("the files of two services whose names differ only in case have different names", async () => {
  const { files } = await projectOf(colliding);
  const names = files.map(({ path }) => path).filter((path) => /-service(?:-\d+)?\.ts$/.test(path));
  expect(names).toEqual([
    "promise-service.ts",
    "orders-service.ts",
    "http-api-service.ts",
    "http-api-service-2.ts",
  ]);
});

it("a service without rpcs has no skeleton", async () => {
  const source = servicesSource(
    'syntax = "proto3"; package empty.v1; service Empty {} message Void {}',
  );
  const { agent, implementations } = await generateFrom(source, { agentImport: "./out" });
  expect([agent, implementations]).toEqual([undefined, []]);
});

it("the callers of a skeleton get an error with the name of the method, whatever streams the rpc has", async () => {
  const folder = writeTo(`skeleton-${String(process.pid)}`, await projectOf(shopSource));
  const load = async <T>(path: string): Promise<T> => (await import(join(folder, path))) as T;
  const { Orders } = await load<{ readonly Orders: new () => object }>("orders-service.ts");
  const { createServiceServer } = await load<Shop>("out/server/http2.ts");
  const { serveOrders, connectOrders, RpcError } = await load<Shop>("out/index.ts");
  const { grpc } = await load<Shop>("out/client/grpc.ts");
  const url = await started(createServiceServer(serveOrders({ service: new Orders() })));
  const client = connectOrders(url, { transport: grpc() });
  const calls: Record<string, () => Promise<unknown>> = {
    placeOrder: () => client.placeOrder({}),
    watchOrder: () => all(client.watchOrder({})),
    countItems: () => client.countItems(streamOf({})),
    echo: () => all(client.echo(streamOf({}))),
  };
  for (const [method, call] of Object.entries(calls)) {
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({
      name: "UnimplementedError",
      message: `${method} is not implemented`,
    });
  }
  client.close();
});
