import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { packageFolder } from "../../../support/package-folder.js";
import type { Generated } from "../../../generator/core/contract.js";
import { outFolder, writeTo } from "../../support/output.js";
import { isFull } from "../../support/size.js";

const supported = ["typescript-5.5", "typescript-5.9", "typescript", "typescript-7"] as const;

/** Supported compiler, by its installation folder. */
export type Compiler = (typeof supported)[number];

/**
 * The compilers to ask: all of them in a run that leaves nothing out, and otherwise the fastest
 * one.
 */
export const compilers: readonly Compiler[] = isFull ? supported : ["typescript-7"];

/**
 * The oldest and the newest of these compilers, which check most. Types change little between the
 * two.
 */
export const outermost: readonly Compiler[] = compilers.filter(
  (compiler) => compiler === supported[0] || compiler === supported.at(-1),
);

/** The strictest options that the output is meant for. */
export const strictest = {
  target: "ES2022",
  module: "NodeNext",
  moduleResolution: "NodeNext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  skipLibCheck: false,
  noEmit: true,
};

/** Environment of the code: Node with its types, or a browser without them. */
export const surroundings = {
  node: { lib: ["ES2022"], types: ["node"] },
  browser: { lib: ["ES2022", "DOM", "DOM.Iterable"], types: [] },
} as const;

/** Input of the compilation. */
export interface Project {
  /** Name of the project file, which must be unique. */
  readonly name: string;
  /** Files and folders, relative to the folder of all outputs. */
  readonly include: readonly string[];
  readonly surrounding: keyof typeof surroundings;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Compiles a project with one compiler and gives what it complains about, line by line. */
export async function complaintsOf(compiler: Compiler, project: Project): Promise<string[]> {
  const erasable = compiler === "typescript-5.5" ? {} : { erasableSyntaxOnly: true };
  const path = join(outFolder, `tsconfig.${project.name}.${compiler}.json`);
  const compilerOptions = {
    ...strictest,
    ...erasable,
    ...surroundings[project.surrounding],
    ...project.options,
  };
  writeFileSync(path, JSON.stringify({ compilerOptions, include: project.include, exclude: [] }));
  const bin = join(packageFolder, "node_modules", compiler, "bin", "tsc");
  return await new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [bin, "-p", path, "--pretty", "false"],
      { maxBuffer: 1e8 },
      (error, stdout, stderr) => {
        if (error !== null && stdout === "") reject(new Error(stderr, { cause: error }));
        else resolve(stdout.split("\n").filter((line) => line !== ""));
      },
    );
  });
}

/**
 * Compiles outputs with the fastest compiler, and gives what it complains about: paths have the
 * number of the output.
 */
export async function typeProblems(
  ...outputs: readonly Pick<Generated, "files">[]
): Promise<string[]> {
  const folder = mkdtempSync(join(outFolder, "compiled-"));
  const name = basename(folder);
  for (const [index, output] of outputs.entries()) writeTo(join(name, String(index)), output);
  const project = {
    name,
    include: [`${name}/**/*`],
    surrounding: "node",
    options: { skipLibCheck: true },
  } as const;
  const complaints = await complaintsOf("typescript-7", project);
  rmSync(folder, { recursive: true });
  return complaints;
}
