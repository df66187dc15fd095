import type { BindingDef, Protocol } from "../../protocol/model/types.js";
import { layout, literalMembers } from "../../emit/expressions.js";
import { Imports } from "../../emit/imports.js";
import { print } from "../../emit/layout.js";
import { output } from "../../emit/output-modules.js";
import type { FilePlan } from "../../emit/plan.js";
import { errorFunctions, runtime } from "../../emit/runtime-modules.js";
import { valueRef, type SymbolRef, type ValueRef } from "../../emit/symbols.js";
import { docOf, keyOf, headedStatement, quote } from "../../emit/text.js";
import { clientFacts } from "../operations/operations.js";
import { isMapped, servedOverHttp, servedTransports, type Transport } from "../transports/table.js";
import type { Side, VersionLoss } from "../../protocol/versions/types.js";
import { requestsDirectly, responsesDirectly } from "./direct.js";
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
  if (other.binding === undefined || own.binding === undefined)
    throw new Error("The version has no manifest, so it cannot be adapted");
  const tables = adapterTables(own, other);
  const adapter = new Adapter({ own: own.binding, other, binding: other.binding, chosen });
  const hasServer = chosen.has("server");
  const { folder } = adapter;
  return {
    folder,
    files: [
      adapter.mapping(tables),
      adapter.index(tables),
      ...(chosen.has("client") ? [...adapter.transports(), adapter.client()] : []),
      ...(hasServer ? [adapter.direct(tables), adapter.server()] : []),
    ],
    losses: tables.losses,
    types: tables.pairs.map((pair) => pair.other),
    served: hasServer ? valueRef(`${folder}/server`, adapterName(other.binding)) : undefined,
  };
}

/** The versions of an adapter, and the targets of the application. */
interface AdapterVersions {
  readonly own: BindingDef;
  readonly other: Protocol;
  readonly binding: BindingDef;
  readonly chosen: ReadonlySet<string>;
}

const mappingRef = valueRef("mapping", "mapping");
const directRef = valueRef("direct", "direct");

class Adapter {
  readonly folder: string;
  readonly #versions: AdapterVersions;
  /** The name of the adapter in an application. */
  readonly #name: string;

  constructor(versions: AdapterVersions) {
    this.folder = adapterFolder(versions.binding);
    this.#versions = versions;
    this.#name = adapterName(versions.binding);
  }

  /** Plans the conversion tables. */
  mapping({ own, types, operations, errors, card, webhook }: AdapterTables): FilePlan {
    const imports = this.#imports("mapping", [mappingRef]);
    imports.use(runtime.VersionMapping);
    const { binding } = this.#versions;
    const ownHeaders = this.#versions.own.headers;
    const tables = { ownHeaders, own, types, operations, errors, card, webhook };
    return this.#plan(imports, "mapping", {
      protocol: [
        ...clientFacts(binding),
        `bindings: { jsonRpc: ${quote(binding.bindings.jsonRpc)} },`,
      ],
      members: literalMembers(tables).flatMap((member) => print(member, 2)),
    });
  }

  /**
   * Plans the direct conversions, which only a server has: in a client, the bundle size matters
   * more than the speed.
   */
  direct(tables: AdapterTables): FilePlan {
    const imports = this.#imports("direct", [directRef]);
    imports.use(runtime.DirectConversions);
    const own = requestsDirectly(tables, imports);
    const other = responsesDirectly(tables, imports);
    return this.#plan(imports, "direct", { own, other });
  }

  /** Plans the converters of the types that both versions have. */
  index({ pairs, losses, own: side }: AdapterTables): FilePlan {
    const imports = this.#imports("index", ["converters", "ModelPairs"]);
    imports.use(runtime.convertersOf, runtime.Converters, this.#theirs(mappingRef));
    imports.reexport(runtime.Converter, this.#theirs(mappingRef));
    const own = imports.typeNamespace({ module: "models", name: "own" });
    const other = imports.typeNamespace({ module: `${this.folder}/models`, name: "other" });
    return this.#plan(imports, "index", {
      types: pairs.map((pair) => {
        const list = [`${own}.${pair.own}`, `${other}.${pair.other}`];
        return {
          docs: docOf(lossesOf(pair, losses, side), 2),
          lines: layout(`${keyOf(pair.own)}: `, { list }, ";", 2),
        };
      }),
      names: pairs.flatMap((pair) =>
        headedStatement(`${keyOf(pair.own)}:`, `${quote(pair.conversion)},`, 4),
      ),
    });
  }

  /** Plans the client transports of the other version. */
  transports(): FilePlan[] {
    const { other, chosen } = this.#versions;
    return servedTransports(other, chosen).map((transport) => this.#transport(transport));
  }

  /** Plans the adapter for `connect`. */
  client(): FilePlan {
    const { other, binding, chosen } = this.#versions;
    const imports = this.#imports("client", [this.#name]);
    imports.use(runtime.ClientVersion, runtime.clientVersion);
    imports.use(...[mappingRef, output.discovery, output.protocol].map(this.#theirs));
    const transports = servedOverHttp(other, chosen).map(({ name, client }) => ({
      factory: this.#theirs({ ...client.factory, module: name }),
      transport: this.#theirs({ ...client.transport, module: name }),
    }));
    for (const { factory, transport } of transports) imports.reexport(factory, transport);
    const isListed = binding.card?.interfaces.main === undefined;
    return this.#plan(imports, "client", {
      name: this.#name,
      interfaces: imports.value(isListed ? runtime.listedInterfaces : runtime.mainInterfaces),
      factories: transports.map(({ factory }) => `${imports.value(factory)}(options)`),
    });
  }

  /** Plans the adapter for `createAgent`. */
  server(): FilePlan {
    const { other, binding, chosen } = this.#versions;
    const { discovery, operations, protocol, errors, codecs, restJson } = output;
    const imports = this.#imports("server", [this.#name]);
    imports.use(runtime.ServedVersion, runtime.servedVersion);
    imports.use(
      ...[mappingRef, directRef, discovery, operations, protocol, errors].map(this.#theirs),
    );
    imports.value(errorFunctions[binding.errorFormat].errorWriter, "errorWriter");
    const tables = servedTransports(other, chosen).flatMap((transport): ValueRef[] => {
      if (transport.carries === "bytes") return [codecs];
      return isMapped(transport, other) ? [restJson] : [];
    });
    return this.#plan(imports, "server", {
      name: this.#name,
      members: tables.map((table) => imports.value(this.#theirs(table))),
    });
  }

  #transport(transport: Transport): FilePlan {
    const { name, client } = transport;
    const { factory, declares, create, options, readError, errors, tables } = client;
    const declared = [factory, client.transport, ...(declares === undefined ? [] : [declares])];
    const imports = this.#imports(name, declared);
    imports.use(...create, options, runtime.Transport, runtime.TransportFactory);
    imports.use(runtime.adaptedTransport, output.errors, this.#theirs(mappingRef));
    // The mapping already contains the facts that a client of the other version requires.
    const theirTables = tables.filter(({ module }) => !module.startsWith("client/"));
    imports.use(...theirTables.map(this.#theirs));
    imports.value(errorFunctions[this.#versions.binding.errorFormat][readError], readError);
    imports.value(this.#theirs(errors), "theirErrors");
    const hasMapping = isMapped(transport, this.#versions.other);
    if (hasMapping) imports.value(this.#theirs(output.restJson), "json");
    return this.#plan(imports, name, { isMapped: hasMapping });
  }

  #imports(file: string, declared: readonly (string | SymbolRef)[]): Imports {
    return new Imports(`${this.folder}/${file}.ts`, declared);
  }

  /** Returns the counterpart in the other version's folder. */
  readonly #theirs = (symbol: ValueRef): ValueRef => ({
    ...symbol,
    module: `${this.folder}/${symbol.module}`,
  });

  #plan(imports: Imports, template: string, view: object): FilePlan {
    const { own, binding } = this.#versions;
    const versions = { version: binding.wireVersion, ownVersion: own.wireVersion };
    return imports.plan(`versions/${template}`, { ...versions, ...view });
  }
}

/** Returns a description of a type's losses in both directions. */
function lossesOf(pair: TypePair, losses: readonly VersionLoss[], own: Side): string {
  const ownLosses = losses.filter(({ side }) => side === own);
  const otherLosses = losses.filter(({ side }) => side !== own);
  return [
    ...lossSection("Lost in the other version:", pair.own, ownLosses),
    ...lossSection("Lost in this version:", pair.other, otherLosses),
  ].join("\n\n");
}

function lossSection(heading: string, type: string, losses: readonly VersionLoss[]): string[] {
  const lines = losses
    .filter(({ subject }) => subject.startsWith(`${type}.`))
    .map(({ subject, text }) => `- \`${subject.slice(type.length + 1)}\`: ${text}`);
  return lines.length === 0 ? [] : [[heading, ...lines].join("\n")];
}
