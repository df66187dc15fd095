import type { Protocol } from "../protocol/model/types.js";
import { homeOf, type Declared, type PartedPlan, type PartLinks } from "./parts.js";
import { fixed } from "./relocate.js";

/** An output of a run, with its files of parts. */
export interface LinkedOutput {
  /** The folder of the output, below the folder of the run. */
  readonly folder: string;
  readonly protocol: Pick<Protocol, "elsewhere">;
  readonly parted: readonly PartedPlan[];
}

type AnyPart = PartedPlan["parts"][number];

/** The declaration of a name in another output. */
interface Source {
  /** The folder of the output. */
  readonly folder: string;
  readonly file: PartedPlan;
  readonly part: AnyPart;
  readonly name: Declared;
}

/**
 * Connects the outputs of a run: a file of parts imports each part that another output declares.
 * Returns the connections of each file.
 */
export function linkOutputs(
  outputs: readonly LinkedOutput[],
): (file: PartedPlan) => PartLinks | undefined {
  const owners = new Map(outputs.map((output) => [output.folder, indexOf(output)]));
  const files = outputs.flatMap((output) =>
    output.parted.map((file) => [file, sourcesOf(file, output, owners)] as const),
  );
  const shared = new Map(files.map(([file]) => [file, new Set<string>()]));
  for (const [file, sources] of files)
    for (const name of namesUsed(file, sources)) {
      const source = sources.get(name);
      if (source?.part.declares.includes(source.name.name) === true)
        shared.get(source.file)?.add(source.name.name);
    }
  const sharedIn = (file: PartedPlan): ReadonlySet<string> => shared.get(file) ?? new Set();
  const bySource = new Map(files);
  return (file) => ({
    sourceOf: (name) => {
      const source = bySource.get(file)?.get(name);
      if (source === undefined) return undefined;
      const home = homeOf(source.file, source.part, sharedIn(source.file));
      return { ...source.name, module: fixed(`${source.folder}/${home}`) };
    },
    shared: sharedIn(file),
  });
}

/** Returns the declarations in other outputs of the names in a file. */
function sourcesOf(
  file: PartedPlan,
  { protocol: { elsewhere } }: LinkedOutput,
  owners: ReadonlyMap<string, Index>,
): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>();
  for (const part of file.parts) {
    const folder = part.of && elsewhere?.get(part.of.type);
    const found = folder === undefined ? undefined : owners.get(folder)?.get(keyOf(file, part));
    if (found === undefined) continue;
    const pairs = [
      ...pairsOf(part.exports, found.part.exports),
      ...pairsOf(declaredBy(part), declaredBy(found.part)),
    ];
    for (const [{ name }, other] of pairs) sources.set(name, { ...found, name: other });
  }
  return sources;
}

/** The parts of an output, by their files and keys. */
type Index = ReadonlyMap<string, Omit<Source, "name">>;

function indexOf({ folder, parted }: LinkedOutput): Index {
  return new Map(
    parted.flatMap((file) =>
      file.parts.map((part) => [keyOf(file, part), { folder, file, part }] as const),
    ),
  );
}

function keyOf({ module }: PartedPlan, { of }: AnyPart): string {
  return `${module} ${of?.role ?? ""} ${of?.type ?? ""}`;
}

function declaredBy({ declares }: AnyPart): Declared[] {
  return declares.map((name) => ({ name, typeOnly: false }));
}

function pairsOf<T>(own: readonly T[], others: readonly T[]): (readonly [T, T])[] {
  return own.flatMap((one, index) => {
    const other = others[index];
    return other === undefined ? [] : [[one, other] as const];
  });
}

/** Returns the names that the parts of a file use, except for the parts of other outputs. */
function namesUsed({ parts }: PartedPlan, sources: ReadonlyMap<string, Source>): string[] {
  const own = parts.filter(({ exports, declares }) => {
    const names = [...exports.map(({ name }) => name), ...declares];
    return !names.some((name) => sources.has(name));
  });
  return own.flatMap(({ uses }) => [...uses.own.keys()]);
}
