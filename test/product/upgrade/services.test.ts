import { describe, expect, it } from "vitest";
import { compareProtocols } from "../../../generator/diff/compare.js";
import { lineOf } from "../../../generator/diff/report.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { readProtocol } from "../../../generator/core/read.js";
import { upgrade } from "../../../generator/upgrade/upgrade.js";
import { Project } from "../cli/command.js";

const proto = `syntax = "proto3";
package shop.v1;
import "google/api/annotations.proto";
service Orders {
  rpc PlaceOrder(Order) returns (Order) { option (google.api.http) = { post: "/v1/orders" body: "*" }; }
  rpc WatchOrder(WatchOrderRequest) returns (stream Order);
  rpc Upload(stream Order) returns (Summary);
}
service Support { rpc Ask(Question) returns (Answer); rpc Resolve(Question) returns (Answer); }
enum Status { STATUS_UNSPECIFIED = 0; STATUS_OPEN = 1; STATUS_SENT = 2; }
message Order {
  string id = 1; repeated string items = 2; Status status = 3;
  oneof payment { string card = 4; Cash cash = 5; }
  Address address = 6;
}
message Address { string street = 1; }
message Cash { int64 cents = 1; }
message WatchOrderRequest { string id = 1; }
message Summary { int32 count = 1; }
message Question { string text = 1; }
message Answer { string text = 1; }
`;

/** Replaces texts of a proto. */
const edited = (...edits: readonly (readonly [from: string, to: string])[]) =>
  edits.reduce((text, [from, to]) => text.replaceAll(from, to), proto);

const later = edited(
  ["rpc PlaceOrder", "rpc SubmitOrder"],
  ["rpc Upload", "rpc UploadAll"],
  ["service Support", "service Help"],
  ["string items = 2;", "string lines = 2; string note = 9; string source = 10;"],
  ["STATUS_SENT", "STATUS_SHIPPED"],
  ["oneof payment { string card", "oneof method { string card_number"],
  ["WatchOrderRequest", "FollowOrderRequest"],
  ["Address address", "PostalAddress destination"],
  ["message Address { string street", "message PostalAddress { string line"],
  ["message Cash { int64 cents", "message Cash { int64 amount"],
);

/** Code for the first state of the proto, and for the second: `«before→after»`. */
const code = `import {
  connectOrders,
  «connectSupport→connectHelp»,
  serveOrders,
  «serveSupport→serveHelp»,
  isOrder,
  «isWatchOrderRequest→isFollowOrderRequest»,
  Status,
  type «Address→PostalAddress»,
  type Order,
  type «OrderPayment→OrderMethod»,
  type OrdersClient,
  type OrdersService,
  type Summary,
  type «SupportClient→HelpClient»,
  type «SupportService→HelpService»,
  type «WatchOrderRequest→FollowOrderRequest»,
} from "./shop/index.js";

class Orders implements OrdersService {
  «placeOrder→submitOrder»(order: Order): Order {
    const { «items→lines: items» = [], «address→destination: address», ...rest } = order;
    if (order.status === Status.«Sent→Shipped») throw new Error("It is sent");
    const cents = order.«card→cardNumber» === undefined ? order.cash?.«cents→amount» : undefined;
    const home: «Address→PostalAddress» = { «street→line»: address?.«street→line» ?? cents ?? "" };
    return { ...rest, «items→lines»: [...items, "tea"], «address→destination»: home, status: "«STATUS_SENT→STATUS_SHIPPED»" };
  }
  async *watchOrder({ id = "" }: «WatchOrderRequest→FollowOrderRequest»): AsyncGenerator<Order> {
    yield await Promise.resolve({ id, «items→lines»: [] });
  }
  async «upload→uploadAll»(orders: AsyncIterable<Order>): Promise<Summary> {
    let count = 0;
    for await (const { «items→lines: items» } of orders) count += items?.length ?? 0;
    return { count };
  }
}
const support: «SupportService→HelpService» = { ask: ({ text = "" }) => ({ text }), resolve: () => ({}) };
export const served = [
  serveOrders({ service: new Orders() }),
  serveOrders({ service: { «placeOrder→submitOrder»: (order) => order } }),
  «serveSupport→serveHelp»({ service: support }),
];

const orders: OrdersClient = connectOrders("http://127.0.0.1");
const helper: «SupportClient→HelpClient» = «connectSupport→connectHelp»("http://127.0.0.1");
const payment: «OrderPayment→OrderMethod» = { «card→cardNumber»: "4" };
const placed = await orders.«placeOrder→submitOrder»({ «items→lines»: ["tea"], status: "STATUS_OPEN", ...payment });
const request: «WatchOrderRequest→FollowOrderRequest» = { id: "1" };
if («isWatchOrderRequest→isFollowOrderRequest»(request))
  for await (const order of orders.watchOrder(request)) console.log(order.«items→lines», isOrder(order));
console.log(placed.«items→lines», (await helper.ask({ text: "?" })).text);
`;
const side = (which: "before" | "after") =>
  code.replaceAll(/«([^→]*)→([^»]*)»/g, which === "before" ? "$1" : "$2");

/** A project that uses the first state of the proto. */
async function projectWith(text: string): Promise<Project> {
  const project = new Project({
    "a2a-codegen.config.json": '{ "spec": "shop.proto", "out": "src/shop" }\n',
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        strict: true,
        target: "ES2022",
        module: "NodeNext",
        moduleResolution: "NodeNext",
        exactOptionalPropertyTypes: true,
        noPropertyAccessFromIndexSignature: true,
        noUncheckedIndexedAccess: true,
        noUnusedLocals: true,
        noUnusedParameters: true,
        isolatedModules: true,
        verbatimModuleSyntax: true,
        types: [],
        lib: ["ES2023", "DOM"],
        noEmit: true,
      },
      include: ["src/main.ts"],
    }),
    "shop.proto": proto,
    "src/main.ts": text,
  });
  await project.succeed("generate", "--targets", "client,server,rest,jsonrpc");
  return project;
}

describe("an upgrade between two states of a proto", () => {
  it("the upgrade renames services, rpcs, messages, fields and enum values in code, which then compiles", async () => {
    const project = await projectWith(side("before"));
    project.write({ "before.proto": proto, "shop.proto": later });
    const report = await upgrade({
      cwd: project.folder,
      from: "before.proto",
      write: true,
      force: true,
    });
    expect(report.remaining.map((one) => `${one.line}: ${one.message}`)).toEqual([]);
    expect(project.read("src/main.ts")).toBe(side("after"));
    expect(project.read("a2a-codegen.config.json")).toContain('"shop.proto"');
    expect(await project.succeed("generate", "--check")).toContain("up to date");
  });

  it("the upgrade lists uses of removed parts with notes, and says if the output is already new", async () => {
    const text = `import { connectOrders } from "./shop/index.js";
const placed = await connectOrders("http://127.0.0.1").placeOrder({});
console.log(placed.items, placed.address);
`;
    const project = await projectWith(text);
    const without = edited(
      ["repeated string items = 2;", ""],
      ["Address address", "string address"],
    );
    project.write({ "before.proto": proto, "shop.proto": without });
    const printed = await project.succeed("upgrade", "--from", "before.proto");
    expect(printed).toContain("src/main.ts:3:20 TS2339: Property 'items' does not exist");
    expect(printed).toContain("removed Order.items (code that uses it does not compile)");
    await project.succeed("generate");
    const again = await project.succeed("upgrade", "--from", "before.proto");
    expect(again).toContain("the output is already generated");
  });

  it("the upgrade requires the state to upgrade from or to", async () => {
    const project = new Project({ "a2a-codegen.config.json": '{ "spec": "shop.proto" }\n' });
    const { code: status, stderr } = await project.run("upgrade");
    expect(status).toBe(2);
    expect(stderr).toContain("`upgrade` requires --to or --from");
  });
});

/** Returns the changes between two protos that rename something. */
function renamesIn(to: string): string[] {
  const project = new Project({ "from.proto": proto, "to.proto": to });
  const registry = specRegistry(project.folder);
  const [before, after] = ["from.proto", "to.proto"].map((path) =>
    readProtocol(registry.find(path, {})),
  );
  if (before === undefined || after === undefined) throw new Error("There are two protos");
  const changes = compareProtocols(before, after);
  return changes.filter(({ action }) => action === "renamed").map(lineOf);
}

describe("the comparison of two states of a proto", () => {
  it.each<[string, [string, string][], string[]]>([
    ["an rpc with the same route", [["PlaceOrder(", "Place("]], ["renamed placeOrder → place"]],
    [
      "the only removed rpc if the only new rpc has its signature, also if its request is renamed",
      [
        ["WatchOrder(", "Follow("],
        ["WatchOrderRequest", "FollowRequest"],
      ],
      [
        "renamed watchOrder → follow",
        "renamed WatchOrderRequest → FollowRequest",
        "renamed message WatchOrderRequest → FollowRequest",
      ],
    ],
    [
      "no rpc whose signature several removed rpcs have",
      [
        ["rpc Ask", "rpc A"],
        ["rpc Resolve", "rpc B"],
      ],
      [],
    ],
    ["no rpc with another kind of streams", [["rpc Upload(stream Order)", "rpc Load(Order)"]], []],
    [
      "messages of the same form by the fields and rpcs that use them",
      [
        ["Question", "AskRequest"],
        ["Answer", "AskResponse"],
        ["Cash", "Coins"],
        ["int64 cents", "int64 amount"],
      ],
      [
        "renamed Cash.cents → amount",
        "renamed Cash → Coins",
        "renamed Question → AskRequest",
        "renamed Answer → AskResponse",
      ],
    ],
    ["no field with another number", [["items = 2", "lines = 12"]], []],
    ["no field with another type", [["string id = 1; repeated", "int32 number = 1; repeated"]], []],
  ])("the comparison finds %s", (_, edits, lines) => {
    const found = renamesIn(edited(...edits));
    expect(found.filter((line) => lines.some((expected) => expected === line)).length).toBe(
      lines.length,
    );
    if (lines.length === 0) expect(found).toEqual([]);
  });
});
