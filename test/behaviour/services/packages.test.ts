import { join } from "node:path";
import { expect, it } from "vitest";
import type { ServedService } from "../../../library/runtime/server/served-service.js";
import type { WireServer } from "../../../library/runtime/bindings/http2/server.js";
import type { TransportFactory } from "../../../library/runtime/protocol/transport.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { packageFolder } from "../../../support/package-folder.js";
import { typeProblems } from "../../product/types/compile.js";
import { generateFrom, libraryOptions, textOf, writeTo } from "../../support/output.js";
import { all, started, streamOf, type ConnectOptions } from "./shop.js";

const source = specRegistry(packageFolder).packages(["test/fixtures/services/packages"]);
const generated = await generateFrom(source, libraryOptions);
const folder = writeTo(`packages-${String(process.pid)}`, generated);

interface Money {
  readonly currency?: string;
  readonly units?: string;
}

interface Order {
  readonly id?: string;
  readonly price?: Money;
  readonly prices?: Readonly<Record<string, Money>>;
  readonly unit?: string;
  readonly own?: { readonly cents?: number };
  readonly invoice?: Invoice;
}

interface Invoice {
  readonly id?: string;
  readonly total?: Money;
  readonly unit?: string;
  readonly tree?: { readonly id?: string; readonly leaves?: readonly { readonly at?: string }[] };
}

interface Client<Value> {
  place(value: Value): Promise<Value>;
  watch(value: Value): AsyncIterable<Money>;
  close(): void;
}

/** The exports of the output of a package that tests use. */
interface Package<Value> extends Record<string, unknown> {
  readonly connectOrders: (url: string, options: ConnectOptions) => Client<Value>;
  readonly serveOrders: (options: { readonly service: object }) => ServedService;
  readonly createServiceServer: (services: readonly ServedService[]) => WireServer;
  readonly NotFoundError: new (message: string) => Error;
  readonly rest: () => TransportFactory;
  readonly jsonRpc: () => TransportFactory;
  readonly grpc: () => TransportFactory;
}

async function load<Value>(path: string): Promise<Package<Value>> {
  const files = ["index", "client/grpc", "server/http2", "protobuf"];
  const modules = files.map((file) => import(join(folder, path, `${file}.ts`)) as Promise<object>);
  return Object.assign({}, ...(await Promise.all(modules))) as Package<Value>;
}

const shop = await load<Order>("shop/v1");
const billing = await load<Invoice>("billing/v1");
const common = (await import(join(folder, "common/v1/index.ts"))) as Record<string, unknown>;

const invoice: Invoice = {
  id: "i",
  total: { currency: "EUR", units: "7" },
  unit: "UNIT_KILOGRAM",
  tree: { id: "t", leaves: [{ at: "2026-01-01T00:00:00Z" }, {}] },
};
const order: Order = {
  id: "o",
  price: { units: "1" },
  prices: { tea: { units: "2" } },
  own: { cents: 3 },
  unit: "UNIT_KILOGRAM",
  invoice,
};

async function server() {
  const orders = shop.serveOrders({
    service: {
      place: (placed: Order) => placed,
      watch: ({ id }: Order) => {
        if (id === "unknown") throw new billing.NotFoundError("unknown");
        return streamOf({ units: "1" }, { units: "2" });
      },
    },
  });
  const invoices = billing.serveOrders({ service: { place: (placed: Invoice) => placed } });
  return await started(billing.createServiceServer([orders, invoices]));
}

it.each(["rest", "jsonRpc", "grpc"] as const)(
  "one server serves services of two packages with shared types over %s",
  async (name) => {
    const url = await server();
    const orders = shop.connectOrders(url, { transport: shop[name]() });
    const invoices = billing.connectOrders(url, { transport: billing[name]() });
    expect(await orders.place(order)).toEqual(order);
    expect(await invoices.place(invoice)).toEqual(invoice);
    expect(await all(orders.watch({ id: "o" }))).toEqual([{ units: "1" }, { units: "2" }]);
    await expect(all(orders.watch({ id: "unknown" }))).rejects.toBeInstanceOf(shop.NotFoundError);
    orders.close();
    invoices.close();
  },
);

it("a package reexports the declarations of the packages that it imports", () => {
  const names = ["is", "assert", "parse", "validate"].map((prefix) => `${prefix}Tree`);
  for (const name of [...names, "TreeSchema", "encodeTree", "decodeTree", "NotFoundError"]) {
    expect(shop[name]).toBeTypeOf(name === "TreeSchema" ? "object" : "function");
    expect(billing[name]).toBe(shop[name]);
  }
  expect(billing["isMoney"]).toBe(common["isMoney"]);
  expect(shop["iscommon_v1_Money"]).toBe(common["isMoney"]);
  expect(shop["isMoney"]).not.toBe(common["isMoney"]);
  expect(shop["Kind"]).toBe(common["Kind"]);
});

it("the index of a package does not export the names that other packages import from its files", () => {
  expect(textOf(generated, "common/v1/validators/common.ts")).toMatch(
    /^export function isMoneyAt/m,
  );
  expect(Object.keys(common).filter((name) => name.endsWith("At"))).toEqual([]);
});

it("the codec of a type is only in the output of its package, also if only other packages use it", () => {
  const declaring = (text: string) =>
    generated.files.filter((file) => file.text.includes(text)).map(({ path }) => path);
  for (const text of ["const unitNumbers", "function readMoney(", "function isMoneyAt("])
    expect(declaring(`export ${text}`)).toEqual([
      expect.stringMatching(/^common\/v1\/(?:protobuf|validators)\/common\.ts$/),
    ]);
  expect(declaring("const unitNumbers")).toHaveLength(1);
});

it("issues in values of another package have their paths", () => {
  const validate = shop["validateOrder"] as (value: unknown) => {
    readonly issues?: readonly { readonly path: readonly unknown[] }[];
  };
  const value = { price: { units: true }, invoice: { tree: { leaves: [{ at: 1 }] } } };
  const paths = validate(value).issues?.map(({ path }) => path);
  expect(paths).toEqual([
    ["price", "units"],
    ["invoice", "tree", "leaves", 0, "at"],
  ]);
});

it("the outputs of several packages compile with all flags, with and without copies", async () => {
  const copies = await generateFrom(source);
  expect(await typeProblems(generated, copies)).toEqual([]);
});

it("files of a package only contain the services of the package", () => {
  const services = /^export class (\w+)/gm;
  for (const name of ["shop", "billing"])
    expect(
      [...textOf(generated, `${name}/v1/client/client.ts`).matchAll(services)].map(
        ([, one]) => one,
      ),
    ).toEqual(["OrdersClient"]);
  expect(generated.counts).toEqual({ messages: 6, enums: 2, operations: 3, errors: 16 });
});
