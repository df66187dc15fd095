import { rmSync, statSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Project } from "./command.js";

const command = "generate --implementation src/server.ts";

const watch = "rpc Watch(Order) returns (stream Order);";
const all = `
  rpc Place(Order) returns (Order);
  ${watch}
  rpc Count(stream Order) returns (Order);
  rpc Echo(stream Order) returns (stream Order);`;

/** Returns a proto with two services, which share the name of an rpc. */
function protoOf(rpcs: string, { service = "Orders", more = "" } = {}): string {
  return `syntax = "proto3";
package shop.v1;
service ${service} {${rpcs}
}
service Support { rpc Place(Order) returns (Order); }
${more}
message Order { string id = 1; }
message Parcel { string id = 1; }
`;
}

const place = "rpc Place(Order) returns (Order);";
const returns = "service Returns { rpc Take(Order) returns (Order); }";
const tsconfig =
  '{ "compilerOptions": { "module": "nodenext", "target": "es2022" }, "include": ["src"] }';
const config = { spec: "shop.proto", out: "src/shop", targets: ["server", "grpc"] };

/** A project whose files implement the services of a proto. */
class Shop extends Project {
  constructor(key = "implementation", value = "src/server.ts") {
    super({
      "shop.proto": protoOf(place),
      "a2a-codegen.config.json": JSON.stringify({ ...config, [key]: value }),
    });
  }

  static async generated(rpcs = place): Promise<Shop> {
    const shop = new Shop();
    shop.write({ "shop.proto": protoOf(rpcs) });
    await shop.succeed("generate");
    return shop;
  }

  /** Generates from another proto, and returns the report. */
  async generate(proto: string): Promise<string> {
    this.write({ "shop.proto": proto });
    return await this.succeed("generate");
  }

  /** Changes a file, and returns its new text. */
  edit(path: string, before: string, after: string): string {
    const text = this.read(path);
    expect(text).toContain(before);
    this.write({ [path]: text.replace(before, after) });
    return this.read(path);
  }

  get own(): string[] {
    return Object.keys(this.files("src")).filter((path) => !path.startsWith("shop/"));
  }
}

const [orders, support, server] = [
  "src/orders-service.ts",
  "src/support-service.ts",
  "src/server.ts",
];

describe("the implementation of services", () => {
  it("generate creates a program that serves all services, and a class for each service", async () => {
    const shop = new Shop();
    const stdout = await shop.succeed("generate --dry-run");
    expect(stdout).toContain(`  ${server} would be created; it is yours to edit\n`);
    expect(stdout).toContain(`  ${orders} would be created; it is yours to edit\n`);
    expect(shop.has("src")).toBe(false);
    const { output } = await shop.json("generate");
    expect(output).toMatchObject({
      agent: server,
      implementations: [
        { file: orders, service: "shop.v1.Orders", state: "created" },
        { file: support, service: "shop.v1.Support", state: "created" },
      ],
    });
    expect(shop.read(server)).toContain(
      "const services = [serveOrders({ service: new Orders() }), serveSupport({ service: new Support() })];\n" +
        "createServiceServer(services).listen(port, host,",
    );
    expect(await shop.succeed("generate")).toContain("up to date");
    expect(shop.own).toEqual(["orders-service.ts", "server.ts", "support-service.ts"]);
  });

  it("a new rpc is added to the class of its service once, whatever its streams are", async () => {
    const shop = await Shop.generated();
    const mine = shop.edit(
      orders,
      "throw new UnimplementedError",
      "// Mine.\n    throw new UnimplementedError",
    );
    const before = shop.files("src");
    shop.write({ "shop.proto": protoOf(all) });
    const check = await shop.run("generate --check");
    expect([check.code, check.stdout]).toEqual([1, expect.stringContaining("echo would be added")]);
    expect(shop.files("src")).toEqual(before);
    const stdout = await shop.generate(protoOf(all));
    expect(stdout.match(/\w+ added/g)).toEqual(["watch added", "count added", "echo added"]);
    const text = shop.read(orders);
    expect(text.startsWith(mine.slice(0, mine.indexOf("\n}")))).toBe(true);
    for (const head of [
      "watch(_request: Order, context: CallContext): AsyncIterable<Order> {",
      "count(_request: AsyncIterable<Order>, context: CallContext): Promise<Order> {",
      "echo(_request: AsyncIterable<Order>, context: CallContext): AsyncIterable<Order> {",
    ])
      expect(text.split(head)).toHaveLength(2);
    expect(shop.read(support)).toBe(before["support-service.ts"]);
    expect(await shop.generate(`${protoOf(all)}\n// Once more.\n`)).not.toContain("added");
    expect(shop.read(orders)).toBe(text);
  });

  it("a removed rpc is reported while its method exists, and a changed request with its types", async () => {
    const shop = await Shop.generated(all);
    const before = shop.read(orders);
    const changed = protoOf("rpc Place(Parcel) returns (Order);");
    for (const proto of [changed, `${changed}\n// Once more.\n`]) {
      const stdout = await shop.generate(proto);
      expect(stdout).toContain("echo is not an operation of this specification");
      expect(stdout).toMatch(
        /orders-service\.ts:\d+:3: place takes Order, but the service requires Parcel/,
      );
    }
    expect(shop.read(orders)).toBe(before);
  });

  it("a service that is renamed gets a new file, unless the old file implements it", async () => {
    const shop = await Shop.generated();
    const renamed = protoOf(place, { service: "Sales" });
    const stdout = await shop.generate(renamed);
    expect(stdout).toContain("src/sales-service.ts created");
    expect(stdout).toContain(`${orders} implements a service that the specification does not have`);
    const other = await Shop.generated();
    other.write({ [orders]: other.read(orders).replaceAll("OrdersService", "SalesService") });
    expect(await other.generate(protoOf(place + watch, { service: "Sales" }))).toMatch(
      /orders-service\.ts:\d+:3: watch (?:added|could be added)/,
    );
    expect(other.own).toEqual(["orders-service.ts", "server.ts", "support-service.ts"]);
  });

  it("a new service is added to a program that is only formatted, and not to one with edits", async () => {
    const shop = await Shop.generated();
    shop.write({ [server]: shop.read(server).replaceAll("\n\n", "\n\n\n") });
    const larger = protoOf(place, { more: returns });
    expect(await shop.generate(larger)).toContain(`${server} updated: it serves all services`);
    expect(shop.read(server)).toContain("serveReturns({ service: new Returns() }),");
    const edited = await Shop.generated();
    const mine = edited.edit(server, "4000", "4100");
    expect(await edited.generate(larger)).toContain(
      `${server} does not serve shop.v1.Returns yet: add serveReturns({ service: new Returns() })`,
    );
    expect(edited.read(server)).toBe(mine);
    expect(edited.has("src/returns-service.ts")).toBe(true);
    expect(await edited.generate(`${larger}\n// Once more.\n`)).not.toContain("does not serve");
  });

  it("a file that the user has deleted is not created again, and the program is unchanged", async () => {
    const shop = await Shop.generated();
    rmSync(shop.path(support));
    const mine = shop.read(server);
    expect(await shop.generate(protoOf(place + watch, { more: returns }))).toContain(
      `${support} was deleted, and is not created again`,
    );
    expect([shop.has(support), shop.read(server)]).toEqual([false, mine]);
    rmSync(shop.path(server));
    expect(await shop.generate(protoOf(place))).toContain(`${server} was deleted`);
    expect(shop.own).toEqual(["orders-service.ts", "returns-service.ts"]);
    await shop.succeed(command);
    expect(shop.own).toEqual([
      "orders-service.ts",
      "returns-service.ts",
      "server.ts",
      "support-service.ts",
    ]);
  });

  it("a run without the option keeps the record of the methods", async () => {
    const shop = await Shop.generated();
    const named = shop.read("a2a-codegen.config.json");
    shop.write({ "a2a-codegen.config.json": JSON.stringify(config) });
    await shop.generate(protoOf(place + watch));
    await shop.succeed("generate --check");
    shop.write({ "a2a-codegen.config.json": named });
    expect(await shop.succeed("generate")).toMatch(/orders-service\.ts:\d+:3: watch added/);
  });

  it("a run without a change of the user's files leaves everything in place if one of them is invalid", async () => {
    const shop = await Shop.generated();
    shop.edit(support, "export class", "export clas");
    shop.write({ "shop.proto": protoOf(place + watch) });
    const before = shop.files();
    expect(await shop.refusal("generate")).toContain(`${support}:`);
    expect(shop.files()).toEqual(before);
  });

  it("a file whose class has moved elsewhere stays unchanged, and gets the rpcs that it missed when the class is back", async () => {
    const shop = await Shop.generated();
    const mine = shop.read(orders);
    const moved = 'export { Orders } from "./elsewhere.js";\n';
    shop.write({ [orders]: moved, "src/elsewhere.ts": mine });
    expect(await shop.generate(protoOf(place + watch))).toContain(
      `${orders} does not implement OrdersService, so new rpcs are not added to it`,
    );
    expect([shop.read(orders), shop.read("src/elsewhere.ts")]).toEqual([moved, mine]);
    shop.write({ [orders]: mine });
    expect(await shop.generate(`${protoOf(place + watch)}\n`)).toMatch(
      /orders-service\.ts:\d+:3: watch added/,
    );
  });

  it("the files of services are older than the lock file, so that an interrupted run loses none", async () => {
    const shop = await Shop.generated();
    const before = shop.files("src/shop");
    await shop.generate(protoOf(place, { more: returns }));
    const timeOf = (path: string) => statSync(shop.path(path), { bigint: true }).mtimeNs;
    const lock = timeOf("src/shop/a2a-codegen.lock.json");
    expect(timeOf("src/returns-service.ts")).toBeLessThanOrEqual(lock);
    rmSync(shop.path("src/shop"), { recursive: true });
    shop.write(
      Object.fromEntries(Object.entries(before).map(([path, text]) => [`src/shop/${path}`, text])),
    );
    await shop.succeed("generate");
    expect(await shop.succeed("generate --check")).toContain("up to date");
  });

  it("services whose files could have one name keep their files when the other is added or removed", async () => {
    const other = "service ORDERS { rpc Take(Order) returns (Order); }";
    const shop = await Shop.generated();
    const mine = shop.edit(orders, "throw new", "// Mine.\n    throw new");
    const both = protoOf(place).replace("service Orders", `${other}\nservice Orders`);
    shop.write({ "shop.proto": both });
    expect(await shop.refusal("generate")).toContain(
      `${orders}: the file implements OrdersService, but has the path for ORDERSService. Rename it to src/orders-service-2.ts`,
    );
    shop.write({ "src/orders-service-2.ts": mine });
    rmSync(shop.path(orders));
    await shop.succeed(command);
    expect(shop.read(server)).toContain('import { Orders } from "./orders-service-2.js";');
    expect(shop.read("src/orders-service-2.ts")).toBe(mine);
    await shop.generate(protoOf(place + watch));
    expect(shop.read("src/orders-service-2.ts")).toContain("watch(");
  });

  it("a deleted file is created again by a run that names the program", async () => {
    const shop = await Shop.generated();
    rmSync(shop.path(support));
    await shop.succeed(command);
    expect(shop.has(support)).toBe(true);
  });

  it.each([
    ["package.json", "the program is not a file with the extension .ts or .mts"],
    ["src", "the program is not a file with the extension .ts or .mts"],
    ["src/server.js", "the program is not a file with the extension .ts or .mts"],
    ["src/shop/main.ts", "the program is in the output folder"],
  ])("the program cannot have the path %s", async (path, message) => {
    const shop = new Shop("implementation", path);
    const before = shop.files();
    const refusal = await shop.refusal("generate");
    expect(refusal).toContain(message);
    expect(shop.files()).toEqual(before);
  });

  it("the packages of several protos have folders for their services, and share a program", async () => {
    const shop = new Shop();
    const store =
      'syntax = "proto3"; package store.v1; service Orders { rpc Put(Item) returns (Item); } message Item {}';
    shop.write({
      "apis/shop.proto": protoOf(place),
      "apis/store.proto": store,
      "a2a-codegen.config.json": JSON.stringify({
        ...config,
        spec: "apis",
        out: "src/gen",
        implementation: server,
      }),
    });
    await shop.succeed("generate");
    const own = Object.keys(shop.files("src")).filter((path) => !path.startsWith("gen/"));
    expect(own).toEqual([
      "server.ts",
      "shop/v1/orders-service.ts",
      "shop/v1/support-service.ts",
      "store/v1/orders-service.ts",
    ]);
    expect(shop.read(server)).toContain('from "./store/v1/orders-service.js";');
    shop.write({ "apis/store.proto": store.replace("}", "rpc Get(Item) returns (Item); }") });
    expect(await shop.succeed("generate")).toMatch(
      /src\/store\/v1\/orders-service\.ts:\d+:3: get added/,
    );
    await shop.succeed("generate --check");
  });

  it("upgrade renames the methods of the class, and creates no second class for a renamed service", async () => {
    const shop = await Shop.generated(all);
    shop.write({
      "before.proto": shop.read("shop.proto"),
      "tsconfig.json": tsconfig,
      "shop.proto": protoOf(all, { service: "Sales" }).replace(
        "rpc Place(Order) returns (Order); }",
        "rpc Ask(Order) returns (Order); }",
      ),
    });
    await shop.succeed("upgrade --from before.proto --write --force");
    expect(shop.read(orders)).toContain("class Orders implements SalesService");
    expect(shop.read(support)).toContain("ask(_request: Order");
    expect(shop.read(server)).toContain("serveSales({ service: new Orders() })");
    expect(shop.own).toEqual(["orders-service.ts", "server.ts", "support-service.ts"]);
    expect(await shop.succeed("generate")).toContain("up to date");
  });

  it("upgrade adds a new service to a program without edits, and to no other program", async () => {
    for (const isEdited of [false, true]) {
      const shop = await Shop.generated(all);
      const program = isEdited ? shop.edit(server, "4000", "5000") : shop.read(server);
      shop.write({
        "before.proto": shop.read("shop.proto"),
        "tsconfig.json": tsconfig,
        "shop.proto": protoOf(all, { more: returns }),
      });
      const planned = await shop.succeed("upgrade --from before.proto");
      expect(planned).not.toContain("TS2307");
      expect(shop.read(server)).toBe(program);
      await shop.succeed("upgrade --from before.proto --write --force");
      expect(shop.own).toContain("returns-service.ts");
      if (isEdited) expect(shop.read(server)).toBe(program);
      else expect(shop.read(server)).toContain("serveReturns({ service: new Returns() })");
      expect(await shop.succeed("generate")).toContain("up to date");
    }
  });

  it("the option and the key have the name of agents as a second name, and only one is set", async () => {
    const shop = new Shop("agent");
    await shop.succeed("generate");
    expect(shop.own).toContain("server.ts");
    shop.write({
      "a2a-codegen.config.json": JSON.stringify({
        ...config,
        agent: server,
        implementation: server,
      }),
    });
    expect(await shop.refusal("generate")).toMatch(
      /"agent" and "implementation" are two names of one key\. Remove one of them\./,
    );
  });

  it("a file whose path is taken is refused before anything is written", async () => {
    const shop = new Shop("implementation", orders);
    expect(await shop.refusal("generate")).toContain(
      `${orders}: the implementation of shop.v1.Orders has the path of the program.`,
    );
    expect(shop.has("src")).toBe(false);
  });

  it("a link in place of a file does not lead a merge out of the project", async () => {
    const [shop, other] = [await Shop.generated(), await Shop.generated()];
    rmSync(shop.path(orders));
    symlinkSync(other.path(orders), shop.path(orders));
    const before = other.read(orders);
    shop.write({ "shop.proto": protoOf(place + watch) });
    expect(await shop.refusal("generate")).toMatch(
      /orders-service\.ts: the implementation of shop\.v1\.Orders is a link to ".*", outside the project\. Remove the link\./,
    );
    shop.write({ "shop.proto": protoOf(place, { service: "Sales" }) });
    shop.write({ [orders]: before.replace("Orders", "Sales") });
    await shop.succeed("generate");
    expect(other.read(orders)).toBe(before.replace("Orders", "Sales"));
    expect(shop.has("src/sales-service.ts")).toBe(true);
  });

  it("init writes the program of a proto with services, and prints the command that starts it", async () => {
    const shop = new Project({ "shop.proto": protoOf(place) });
    const stdout = await shop.succeed("init --yes --runtime copy --spec shop.proto");
    expect(stdout).toContain(`Next, edit ${orders}, ${support}, and start ${server}:`);
    expect(JSON.parse(shop.read("a2a-codegen.config.json"))).toMatchObject({
      implementation: server,
    });
  });
});
