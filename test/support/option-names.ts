import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** The modules of the library, and the templates of the other modules. */
const files = ["library", "templates"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?<!\.d)\.(?:ts|hbs)$/.test(name))
    .map((name) => join(folder, name)),
);

/**
 * Optional members of the interfaces in the library and the templates, by the name of the
 * interface.
 */
const interfaces = new Map<string, string[]>();

for (const path of files) {
  // The templates of options are TypeScript except for a few placeholders, which count as errors
  // and are skipped.
  const source = ts.createSourceFile(
    path,
    readFileSync(path, "utf8"),
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TS,
  );
  for (const node of source.statements) {
    if (!ts.isInterfaceDeclaration(node)) continue;
    const optional = node.members.filter((member) => member.questionToken !== undefined);
    const names = optional.map((member) => member.name?.getText() ?? "");
    interfaces.set(node.name.text, [...(interfaces.get(node.name.text) ?? []), ...names]);
  }
}

/**
 * Returns the names of the optional members of an interface, which is declared in the library or in
 * a template.
 */
export function optionNames(...names: readonly string[]): string[] {
  return [
    ...new Set(
      names.flatMap((name) => {
        const found = interfaces.get(name);
        if (found === undefined) throw new Error(`No interface is named ${name}`);
        return found;
      }),
    ),
  ];
}

/**
 * A test of whether an option is a member of its options, which also accepts the value `undefined`.
 */
export interface PresenceTest {
  readonly file: string;
  readonly text: string;
}

/**
 * Returns the tests in the library and the templates that ask whether an option is present, by `in`
 * or by `hasOwn`.
 */
export function presenceTests(): PresenceTest[] {
  const names = new Set(
    [...interfaces].flatMap(([name, members]) =>
      /(?:Options|Settings)$/.test(name) ? members : [],
    ),
  );
  return files.flatMap((file) => {
    const source = ts.createSourceFile(
      file,
      readFileSync(file, "utf8"),
      ts.ScriptTarget.Latest,
      true,
    );
    const found: PresenceTest[] = [];
    const visit = (node: ts.Node) => {
      const [name, holder] = testOf(node) ?? [];
      if (
        name !== undefined &&
        holder !== undefined &&
        names.has(name) &&
        /options|settings|given$/i.test(holder)
      )
        found.push({ file, text: node.getText() });
      node.forEachChild(visit);
    };
    visit(source);
    return found;
  });
}

/** Returns the member and the object of a test for presence. */
function testOf(node: ts.Node): [name: string, holder: string] | undefined {
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword)
    return ts.isStringLiteral(node.left) ? [node.left.text, node.right.getText()] : undefined;
  if (!ts.isCallExpression(node) || !/hasOwn(?:Property)?$/.test(node.expression.getText()))
    return undefined;
  const [holder, name] = node.arguments;
  return holder && name && ts.isStringLiteral(name) ? [name.text, holder.getText()] : undefined;
}
