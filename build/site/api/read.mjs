import { rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Application, Converter } from "typedoc";
import { generateInto } from "../../../dist/generator/api/index.js";
import { root } from "../folder.mjs";
import { modules, targets, versions } from "./modules.mjs";

/** Files whose exports are in the reference of the version: types, their checks, and errors. */
const ofVersion = /^(?:models|validators|errors)(?:\/|\.ts$)/;

/**
 * Generates an output into a folder, and reads the exports of its modules and of the bridges with
 * TypeDoc. Returns them by module, and the context that finds their declarations.
 */
export async function readExports(folder) {
  rmSync(folder, { recursive: true, force: true });
  const output = { spec: "1.0", aliases: "none", runtime: "package", targets, versions };
  await generateInto({ ...output, cwd: root, config: false, out: folder });
  const pathOf = ({ file }) =>
    file.startsWith("bridges/") ? join(root, "library", file) : join(folder, file);
  const files = modules.map(pathOf);
  const tsconfig = join(folder, "tsconfig.json");
  const compilerOptions = { noEmit: true, skipLibCheck: true };
  const base = join(root, "tsconfig.base.json");
  writeFileSync(tsconfig, JSON.stringify({ extends: base, compilerOptions, files }));
  const app = await Application.bootstrap({
    entryPoints: files,
    tsconfig,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    logLevel: "Warn",
    preservedTypeAnnotationTags: ["@throws"],
    readme: "none",
    // The type check of the project reports errors.
    skipErrorChecking: true,
    // The pages do not show where something is declared.
    disableSources: true,
    sort: ["source-order"],
    validation: false,
  });
  let context;
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (found) => (context = found));
  const project = await app.convert();
  if (project === undefined || app.logger.hasErrors()) throw new Error("TypeDoc found errors");
  const fileOf = (reflection) =>
    context.getSymbolFromReflection(reflection)?.declarations[0].getSourceFile().fileName;
  const entries = new Map(project.children.map((entry) => [fileOf(entry), entry]));
  const exported = modules.map((module) => ({
    ...module,
    exports: entries
      .get(pathOf(module))
      .children.filter((child) =>
        [folder, join(root, "library")].every(
          (base) => !ofVersion.test(relative(base, fileOf(targetOf(child)))),
        ),
      )
      .toSorted((one, other) => compare(one.name, other.name)),
  }));
  return { context, modules: exported };
}

function compare(one, other) {
  return one.toLowerCase() < other.toLowerCase() ? -1 : 1;
}

/** Returns the reflection of an export, also of an export of another module's symbol. */
export function targetOf(reflection) {
  return reflection.isReference() ? reflection.getTargetReflectionDeep() : reflection;
}
