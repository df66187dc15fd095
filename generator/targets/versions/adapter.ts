import type { BindingDef, Protocol } from "../../protocol/model/types.js";
import { layout, literalOf } from "../../emit/expressions.js";
import { Imports } from "../../emit/imports.js";
import { output } from "../../emit/output-modules.js";
import type { FilePlan } from "../../emit/plan.js";
import { errorFunctions, runtime } from "../../emit/runtime-modules.js";
import { valueRef, type ValueRef } from "../../emit/symbols.js";
import { docOf, keyOf, headedStatement, quote } from "../../emit/text.js";
import { clientFacts } from "../operations/operations.js";
import { isMapped, servedOverHttp, servedTransports, type Transport } from "../transports/table.js";
import type { Side, VersionLoss } from "../../protocol/versions/types.js";
import { adapterTables, type AdapterTables, type TypePair } from "./mapping.js";

/** Plan of an adapter between the application's version and another version. */
export interface AdapterPlan {
  /** Folder of the other version, below the output folder. */
  readonly folder: string;
  readonly files: readonly FilePlan[];
  readonly losses: AdapterTables["losses"];
  /** Names of the other version's types that the application can convert. */
  readonly types: readonly string[];
  /** Adapter for `createAgent`; absent if the output has no server. */
  readonly served: ValueRef | undefined;
}

/** Returns the folder of the adapter for a version: `versions/0.3`. */
export function adapterFolder({ wireVersion }: BindingDef): string {
  return `versions/${wireVersion}`;
}

/** Returns the name of the adapter for a version in an application: `v0_3`. */
function adapterName({ wireVersion }: BindingDef): string {
  return `v${wireVersion.replace(/\W/g, "_")}`;
}

/**
 * Plans the files that let an application of one version support another version. Both versions
 * must have a manifest.
 */
export function planAdapter(
  own: Protocol,
  other: Protocol,
  chosen: ReadonlySet<string>,
): AdapterPlan {
  const { binding } = other;
  if (binding === undefined || own.binding === undefined)
    throw new Error("The version has no manifest, so it cannot be adapted");
  const tables = adapterTables(own, other);
  const folder = adapterFolder(binding);
  const adapter = new Adapter(folder, binding, other, own.binding, chosen);
  const files = [adapter.mapping(tables), adapter.index(tables)];
  if (chosen.has("client")) files.push(...adapter.transports(), adapter.client());
  if (chosen.has("server")) files.push(adapter.server());
  const served = chosen.has("server")
    ? valueRef(`${folder}/server`, adapterName(binding))
    : undefined;
  return {
    folder,
    files,
    losses: tables.losses,
    types: tables.pairs.map((pair) => pair.other),
    served,
  };
}

class Adapter {
  readonly #folder: string;
  readonly #binding: BindingDef;
  readonly #other: Protocol;
  readonly #own: BindingDef;
  readonly #chosen: ReadonlySet<string>;

  constructor(
    folder: string,
    binding: BindingDef,
    other: Protocol,
    own: BindingDef,
    chosen: ReadonlySet<string>,
  ) {
    this.#folder = folder;
    this.#binding = binding;
    this.#other = other;
    this.#own = own;
    this.#chosen = chosen;
  }

  /** Plans the conversion tables. */
  mapping({ own, types, operations, errors, card, webhook }: AdapterTables): FilePlan {
    const imports = this.#imports("mapping", ["mapping"]);
    const { bindings } = this.#binding;
    const protocol = [
      ...clientFacts(this.#binding),
      `bindings: { jsonRpc: ${quote(bindings.jsonRpc)} },`,
    ];
    const { headers: ownHeaders } = this.#own;
    const tables = { ownHeaders, own, types, operations, errors, card, webhook };
    const members = Object.entries(tables).flatMap(([name, value]) =>
      value === undefined ? [] : layout(`${name}: `, literalOf(value), ",", 2),
    );
    return imports.plan("versions/mapping", {
      ...this.#names(),
      type: imports.type(runtime.VersionMapping),
      protocol,
      members,
    });
  }

  /** Plans the converters of the types that both versions have. */
  index({ pairs, losses, own: side }: AdapterTables): FilePlan {
    const imports = this.#imports("index", ["converters", "ModelPairs"]);
    imports.value(runtime.convertersOf);
    imports.type(runtime.Converters);
    imports.value(this.#ref("mapping", "mapping"));
    const own = imports.typeNamespace({ module: "models", name: "own" });
    const other = imports.typeNamespace({ module: `${this.#folder}/models`, name: "other" });
    const types = pairs.map((pair) => {
      const list = [`${own}.${pair.own}`, `${other}.${pair.other}`];
      return {
        docs: docOf(lossesOf(pair, losses, side), 2),
        lines: layout(`${keyOf(pair.own)}: `, { list }, ";", 2),
      };
    });
    const names = pairs.flatMap((pair) => {
      const [key, name] = [`${keyOf(pair.own)}:`, `${quote(pair.conversion)},`];
      return headedStatement(key, name, 4);
    });
    imports.reexport(runtime.Converter, this.#ref("mapping", "mapping"));
    return imports.plan("versions/index", { ...this.#names(), types, names });
  }

  /** Plans the client transports of the other version. */
  transports(): FilePlan[] {
    return servedTransports(this.#other, this.#chosen).map((transport) =>
      this.#transport(transport),
    );
  }

  /** Plans the adapter for `connect`. */
  client(): FilePlan {
    const name = adapterName(this.#binding);
    const imports = this.#imports("client", [name]);
    const type = imports.type(runtime.ClientVersion);
    imports.value(runtime.clientVersion);
    imports.value(this.#ref("mapping", "mapping"));
    for (const part of ["discovery", "protocol"]) imports.value(this.#ref("operations", part));
    const { main } = this.#binding.card.interfaces;
    const interfaces = imports.value(
      main === undefined ? runtime.listedInterfaces : runtime.mainInterfaces,
    );
    const http = servedOverHttp(this.#other, this.#chosen);
    const factories = http.map(
      ({ name: file, client: { factory } }) =>
        `${imports.value(this.#ref(file, factory.name))}(options)`,
    );
    for (const { name: file, client } of http)
      imports.reexport(
        this.#ref(file, client.factory.name),
        this.#ref(file, client.transport.name),
      );
    return imports.plan("versions/client", { ...this.#names(), name, type, factories, interfaces });
  }

  /** Plans the adapter for `createAgent`. */
  server(): FilePlan {
    const name = adapterName(this.#binding);
    const imports = this.#imports("server", [name]);
    const type = imports.type(runtime.ServedVersion);
    imports.value(runtime.servedVersion);
    imports.value(this.#ref("mapping", "mapping"));
    for (const part of ["discovery", "operations", "protocol"])
      imports.value(this.#ref("operations", part));
    imports.value(this.#ref("errors", "errors"));
    imports.value(errorFunctions[this.#binding.errorFormat].errorWriter, "errorWriter");
    const members = servedTransports(this.#other, this.#chosen).flatMap((transport): ValueRef[] => {
      if (transport.carries === "bytes") return [output.codecs];
      return isMapped(transport, this.#other) ? [output.restJson] : [];
    });
    const tables = members.map((each) => imports.value(this.#ref(each.module, each.name)));
    return imports.plan("versions/server", { ...this.#names(), name, type, members: tables });
  }

  #transport(transport: Transport): FilePlan {
    const { name, client } = transport;
    const { factory, declares, create, options, readError, errors, tables } = client;
    const declared = [factory, client.transport, ...(declares === undefined ? [] : [declares])];
    const imports = this.#imports(
      name,
      declared.map((symbol) => symbol.name),
    );
    for (const used of create) imports.value(used);
    imports.value(errorFunctions[this.#binding.errorFormat][readError], readError);
    imports.value(this.#ref(errors.module, errors.name), "theirErrors");
    // The mapping already contains the facts that a client of the other version requires.
    for (const table of tables.filter(({ module }) => !module.startsWith("client/")))
      imports.value(this.#ref(table.module, table.name));
    for (const used of [this.#ref("mapping", "mapping"), output.errors, runtime.adaptedTransport])
      imports.value(used);
    for (const used of [options, runtime.Transport, runtime.TransportFactory]) imports.type(used);
    const hasMapping = isMapped(transport, this.#other);
    if (hasMapping) imports.value(this.#ref(output.restJson.module, output.restJson.name), "json");
    return imports.plan(`versions/${name}`, { ...this.#names(), isMapped: hasMapping });
  }

  #imports(file: string, declared: readonly string[]): Imports {
    return new Imports(`${this.#folder}/${file}.ts`, declared);
  }

  /** Returns a reference to a value of the adapter. */
  #ref(module: string, name: string): ValueRef {
    return valueRef(`${this.#folder}/${module}`, name);
  }

  #names(): { readonly version: string; readonly ownVersion: string } {
    return { version: this.#binding.wireVersion, ownVersion: this.#own.wireVersion };
  }
}

/** Returns a description of a type's losses in both directions. */
function lossesOf(pair: TypePair, losses: readonly VersionLoss[], own: Side): string {
  const of = (name: string, isOwn: boolean): string =>
    losses
      .filter(({ side, subject }) => (side === own) === isOwn && subject.startsWith(`${name}.`))
      .map(({ subject, text }) => `- \`${subject.slice(name.length + 1)}\`: ${text}`)
      .join("\n");
  const [lost, foreign] = [of(pair.own, true), of(pair.other, false)];
  return [
    lost && `Lost in the other version:\n${lost}`,
    foreign && `Lost in this version:\n${foreign}`,
  ]
    .filter((line) => line !== "")
    .join("\n\n");
}
