import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { isFile } from "../../support/files.js";
import { withSlashes } from "../../support/paths.js";
import { resolvesInto } from "../../support/real-path.js";
import type { Generated, ServiceFile } from "../core/contract.js";
import { formHash } from "../output/hashes.js";
import { methodsByFile, type Lock, type Methods, type MethodsByFile } from "../output/lock.js";
import { readUserFile } from "../output/user-file.js";
import { replaceAround, type AgentFile, type AgentReport, type PreparedMerge } from "./agent.js";
import { agentFile, agentIn, deletedAgent, fileToMerge, type UserTexts } from "./agent-file.js";
import type { Run } from "./input.js";
import type { GenerateResult, ImplementationReport } from "./result.js";

/** A user's file that implements a service, and the state of the file. */
export interface Implementation extends Pick<ServiceFile, "text" | "fullName" | "service"> {
  readonly path: string;
  /** Path relative to the working directory. */
  readonly shown: string;
  /** Path relative to the output folder, as the lock file contains it. */
  readonly key: string;
  /** `created` if this run creates it, and `deleted` if the user has deleted it. */
  readonly state: "created" | "present" | "deleted";
  /** Methods of the service in the previous run, if it is known. */
  readonly known: readonly string[] | undefined;
  /** Methods that were removed from the service before the previous run. */
  readonly removed: readonly string[] | undefined;
  /** Expression that the user's program requires in order to serve the service. */
  readonly unserved?: string;
}

/** The user's files of a run whose services are not agents. */
export interface Implementations {
  readonly files: readonly Implementation[];
  /** Files of services that the specification no longer has, and their methods. */
  readonly unused: readonly { readonly key: string; readonly methods: readonly string[] }[];
  /** Replacement of the program, if it is not edited but outdated. */
  readonly update: Omit<PreparedMerge, "report"> | undefined;
  /** Hash of the program for the lock file. */
  readonly program: string | undefined;
}

/**
 * Plans what a run does with the files that implement services, and with the program that serves
 * them. `userText` returns pending texts of the user's files.
 */
export function planImplementations(
  run: Run,
  generated: Generated,
  userText?: UserTexts,
): Implementations {
  const { agent } = run.settings;
  if (agent === undefined || generated.implementations.length === 0)
    return { files: [], unused: [], update: undefined, program: undefined };
  const { own, left } = filesOf(run, agent, generated, userText);
  const used = new Set(own.map(({ key }) => key));
  const unused = [...left].filter(([key]) => !used.has(key));
  const { update, program, missing } = programOf(run, agent, generated, own, userText);
  return {
    files: own.map(({ served, isMoved: _, usual: __, ...file }) => ({
      ...file,
      ...(file.state === "created" && missing(served) && { unserved: served }),
    })),
    unused: unused.map(([key, methods]) => ({ key, methods })),
    update,
    program,
  };
}

interface OwnFile extends Omit<Implementation, "unserved">, Pick<ServiceFile, "served"> {
  /** Usual path of the file, as shown in messages. */
  readonly usual: string;
  /** Whether the file has another path, such as the path of a service that has been renamed. */
  readonly isMoved: boolean;
}

/** Returns the files of all services, and the other files that earlier runs have recorded. */
function filesOf(
  run: Run,
  agent: string,
  { implementations }: Generated,
  userText: UserTexts | undefined,
): { readonly own: readonly OwnFile[]; readonly left: ReadonlyMap<string, readonly string[]> } {
  const { request, lock, settings } = run;
  const folder = dirname(agent);
  const keyOf = (path: string): string => withSlashes(relative(settings.out, path));
  // Files of a program in another folder do not belong to this program. A lock file or a link in a
  // cloned repository cannot lead to files elsewhere.
  const inFolder = (methods: Methods | undefined): Map<string, readonly string[]> =>
    new Map(
      Object.entries(methodsByFile(methods)).filter(([key]) =>
        resolvesInto(resolve(settings.out, key), [folder]),
      ),
    );
  const [known, gone] = [inFolder(lock?.methods), inFolder(lock?.gone)];
  const isNewProgram = !existsSync(agent) && deletedAgent(run) === undefined;
  // A request that names the program creates deleted files again.
  const isCreating = isNewProgram || request.agent !== undefined;
  const hasInterface = (path: string, service: Implementation["service"]): boolean =>
    mentions(userText?.(path) ?? readFileSync(path, "utf8"), service);
  const planned = implementations.map(({ path, ...file }) => {
    const usual = resolve(folder, path);
    const exists = isFile(usual);
    return { file, usual, exists, isOwn: exists && hasInterface(usual, file.service) };
  });
  const keys = new Set(planned.map(({ usual }) => keyOf(usual)));
  const left = new Map(
    [...gone, ...known].filter(([key]) => !keys.has(key) && isFile(resolve(settings.out, key))),
  );
  // After a service was added, renamed or removed, a file can have the path of another service.
  const free = new Set([
    ...[...left.keys()].map((key) => resolve(settings.out, key)),
    ...planned.flatMap(({ usual, exists, isOwn }) => (exists && !isOwn ? [usual] : [])),
  ]);
  const own = planned.map(({ file, usual, exists, isOwn }): OwnFile => {
    const isKnown = known.has(keyOf(usual));
    const isUsual = isOwn || (isKnown && !exists);
    const moved = isUsual ? undefined : [...free].find((path) => hasInterface(path, file.service));
    const path = moved ?? usual;
    if (moved !== undefined) free.delete(path);
    const key = keyOf(path);
    const isPresent = exists || moved !== undefined;
    const state = isPresent ? "present" : isKnown && !isCreating ? "deleted" : "created";
    const shown = relative(request.cwd, path);
    const methods = { known: known.get(key), removed: gone.get(key) };
    const place = { usual: relative(request.cwd, usual), isMoved: moved !== undefined };
    return { ...file, path, shown, key, state, ...methods, ...place };
  });
  refuseShared(own);
  return { own, left };
}

/** Throws an `InputError` if the path of a new service is the path of another service's file. */
function refuseShared(files: readonly OwnFile[]): void {
  for (const { path, shown, service, isMoved, usual } of files) {
    const other = files.find((file) => file.path === path && file.service !== service);
    if (!isMoved || other === undefined) continue;
    throw new InputError({
      location: { file: shown },
      message: `the file implements ${service.name}, but has the path for ${other.service.name}`,
      hint: `Rename it to ${usual}, also in imports of the file`,
    });
  }
}

/** Returns whether a text has the name of the interface of a service. */
function mentions(text: string, { name }: Implementation["service"]): boolean {
  return new RegExp(String.raw`\b${name}\b`).test(text);
}

/**
 * Plans the program: it is replaced if services were added or removed, unless the user has edited
 * it. `missing` returns whether the program does not contain the function of an expression.
 */
function programOf(
  { request, lock }: Run,
  agent: string,
  { agent: next = "" }: Generated,
  own: readonly OwnFile[],
  userText: UserTexts | undefined,
): Pick<Implementations, "update" | "program"> & {
  readonly missing: (served: string) => boolean;
} {
  const hash = formHash(agent, next);
  if (!existsSync(agent)) return { update: undefined, program: hash, missing: () => false };
  const shown = relative(request.cwd, agent);
  const before = readUserFile(agent, shown);
  const current = formHash(agent, before);
  const isAsGenerated = current !== undefined && current === lock?.program;
  const isUsual = own.every(({ state, isMoved }) => state !== "deleted" && !isMoved);
  if (isAsGenerated && isUsual) {
    const around = (rest: () => void): void => {
      replaceAround({ path: agent, shown }, { before, after: next }, rest);
    };
    const update = { path: agent, text: next, insertions: [], around };
    return {
      update: hash === current ? undefined : update,
      program: hash,
      missing: () => false,
    };
  }
  const text = userText?.(agent) ?? before;
  return {
    update: undefined,
    program: lock?.program,
    missing: (served) => !text.includes(served.slice(0, served.indexOf("("))),
  };
}

/** Returns whether an output has services that files of the user implement. */
export function hasImplementation({ service, implementations }: Generated): boolean {
  return service !== undefined || implementations.length > 0;
}

/** Returns the existing files of the user into which new methods are merged. */
export function filesToMerge(
  run: Run,
  generated: Generated,
  { files }: Implementations,
  userText?: UserTexts,
): AgentFile[] {
  const agent = agentFile(run, generated);
  // The program may serve an implementation from any other file.
  const present = files
    .filter(({ state }) => state === "present")
    .map((file) => ({ ...file, isOptional: true }));
  return [...(agent === undefined ? [] : [agent]), ...present].map((file) =>
    fileToMerge(run, file, userText),
  );
}

/** Returns the members of a result about services. `merges` contains results by absolute path. */
export function implementationMembers(
  run: Run,
  plan: Implementations,
  merges: ReadonlyMap<string, AgentReport>,
): Pick<GenerateResult, "implementations" | "updatedAgent"> {
  const { agent = "" } = run.settings;
  const reports = implementationReports(run, plan, merges);
  return {
    ...(reports.length > 0 && { implementations: reports }),
    ...(plan.update !== undefined && { updatedAgent: relative(run.request.cwd, agent) }),
  };
}

function implementationReports(
  { request, settings }: Run,
  { files, unused }: Implementations,
  merges: ReadonlyMap<string, AgentReport>,
): ImplementationReport[] {
  const program = relative(request.cwd, settings.agent ?? "");
  const own = files.map(({ shown, path, fullName, state, unserved }): ImplementationReport => {
    const merge = merges.get(path);
    return {
      file: shown,
      service: fullName,
      state,
      ...(unserved !== undefined && { unserved: { program, expression: unserved } }),
      ...(merge && { merge }),
    };
  });
  const left = unused.map(({ key }): ImplementationReport => {
    return { file: relative(request.cwd, resolve(settings.out, key)), state: "unused" };
  });
  return [...own, ...left];
}

/** Members of the lock file that describe the user's files. */
export type UserRecord = Pick<Lock, "methods" | "agent" | "gone" | "program">;

/**
 * Returns the members of the lock file about the user's files. `merges` contains the results of
 * merges by absolute path.
 */
export function userRecord(
  { settings, lock }: Pick<Run, "settings" | "lock">,
  { service }: Generated,
  { files, unused, program }: Implementations,
  merges: ReadonlyMap<string, AgentReport>,
): UserRecord {
  const agent = agentIn(settings);
  const goneIn = (path: string): string[] => [
    ...new Set(merges.get(path)?.removed.map(({ method }) => method)),
  ];
  if (service !== undefined) {
    const gone = settings.agent === undefined ? [] : goneIn(settings.agent);
    return {
      methods: namesOf(service),
      ...(agent !== undefined && { agent }),
      ...(gone.length > 0 && { gone }),
    };
  }
  // A run without the option, or without the server, does not forget the files of the user.
  if (files.length === 0)
    return Object.keys(methodsByFile(lock?.methods)).length > 0 ? kept(lock) : {};
  const gone: MethodsByFile = Object.fromEntries([
    ...files.flatMap(({ key, path }) => {
      const names = goneIn(path);
      return names.length === 0 ? [] : [[key, names] as const];
    }),
    ...unused.map(({ key, methods }) => [key, methods] as const),
  ]);
  return {
    methods: Object.fromEntries(
      files.map(({ key, path, known, service: own }) => {
        // A file that does not implement the service has not got the new methods.
        const isMerged = merges.get(path)?.message === undefined;
        return [key, isMerged ? namesOf(own) : (known ?? namesOf(own))];
      }),
    ),
    ...(agent !== undefined && { agent }),
    ...(Object.keys(gone).length > 0 && { gone }),
    ...(program !== undefined && { program }),
  };
}

function kept({ methods, agent, gone, program }: UserRecord = {}): UserRecord {
  return {
    methods,
    ...(agent !== undefined && { agent }),
    ...(gone && { gone }),
    ...(program !== undefined && { program }),
  };
}

function namesOf({ methods }: ServiceFile["service"]): string[] {
  return methods.map(({ name }) => name);
}
