import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import {
  errorFunctions,
  runtime,
  runtimeFolder,
  runtimeNamespaces,
} from "../../../../generator/emit/runtime-modules.js";
import { packageFolder } from "../../../../support/package-folder.js";

const folder = join(packageFolder, "library", "runtime");
const modules = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);
const textOf = (module: string) => readFileSync(join(folder, module), "utf8");

const known = new Map<string, Map<string, boolean>>();

/** Like {@link exportsIn}, but reads each module once. */
function exportsOf(module: string): Map<string, boolean> {
  const found = known.get(module) ?? exportsIn(module);
  known.set(module, found);
  return found;
}

/** Named exports of a module, and whether they are types. */
function exportsIn(module: string): Map<string, boolean> {
  const { statements } = ts.createSourceFile(module, textOf(module), ts.ScriptTarget.Latest);
  const found = new Map<string, boolean>();
  for (const statement of statements) {
    if (
      ts.isExportDeclaration(statement) &&
      statement.exportClause &&
      ts.isNamedExports(statement.exportClause)
    )
      for (const { name, isTypeOnly } of statement.exportClause.elements)
        found.set(name.text, isTypeOnly || statement.isTypeOnly);
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (isExported !== true) continue;
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations)
        if (ts.isIdentifier(name)) found.set(name.text, false);
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
      found.set(statement.name?.text ?? "", false);
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
      found.set(statement.name.text, true);
  }
  return found;
}

describe("the table of the runtime", () => {
  const formats = (["status", "plain", "named"] as const).flatMap((format) => {
    const { errorWriter, readGrpcError, readHttpError, readJsonRpcError } = errorFunctions[format];
    return [errorWriter, readGrpcError, readHttpError, readJsonRpcError];
  });
  const symbols = [...Object.values(runtime), ...formats].map(({ module, name, typeOnly }) => ({
    module,
    name,
    typeOnly,
  }));

  it.each(symbols)(
    "the module $module exports $name as listed in the table",
    ({ module, name, typeOnly }) => {
      expect(module.startsWith(runtimeFolder)).toBe(true);
      expect(exportsOf(`${module.slice(runtimeFolder.length)}.ts`).get(name)).toBe(typeOnly);
    },
  );

  it.each(Object.values(runtimeNamespaces))("the module $module exists", ({ module }) => {
    expect(modules).toContain(`${module.slice(runtimeFolder.length)}.ts`);
  });
});
