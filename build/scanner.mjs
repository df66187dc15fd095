import { readFileSync } from "node:fs";
import ts from "typescript";

/** The parts of TypeScript that the command line contains. */
const roots = ["createScanner", "LanguageVariant", "ScriptTarget", "SyntaxKind"];

/**
 * Replacements for declarations that lead to the rest of the compiler: assertions, and the texts of
 * errors, which the scanner only passes to a callback that is not set.
 */
const replaced = {
  Debug: "{ assert() {}, fail(message) { throw new Error(message); }, assertNever() {} }",
  Diagnostics: "{}",
  getNameOfScriptTarget: "() => undefined",
};

/**
 * Replaces the compiler by its scanner. The whole compiler has 9 MB, and takes longer to load than
 * a run of `generate`.
 */
export const scannerOnly = {
  name: "scanner-only",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]typescript[\\/]lib[\\/]typescript\.js$/ }, ({ path }) => ({
      contents: scannerOf(readFileSync(path, "utf8")),
      loader: "js",
    }));
  },
};

/** Returns the declarations of the compiler that the scanner needs, as an ES module. */
function scannerOf(text) {
  const file = ts.createSourceFile("typescript.js", text, ts.ScriptTarget.Latest);
  const statements = declarationsIn(file);
  const found = new Map();
  const queue = [...roots];
  for (const name of queue) {
    const statement = Object.hasOwn(replaced, name) ? undefined : statements.get(name);
    if (statement === undefined || found.has(statement)) continue;
    found.set(statement, text.slice(statement.pos, statement.end));
    queue.push(...namesIn(statement));
  }
  const constants = Object.entries(replaced).map(([name, value]) => `const ${name} = ${value};`);
  const ordered = [...found].sort(([one], [other]) => one.pos - other.pos);
  const code = ordered.map(([, declaration]) => declaration).join("\n");
  return `${constants.join("\n")}\n${code}\nexport { ${roots.join(", ")} };\n`;
}

/** Returns the statements of the function that wraps the compiler, by the names they declare. */
function declarationsIn(file) {
  const wrapper = file.statements.find(ts.isExpressionStatement);
  const { statements } = ts.skipParentheses(wrapper.expression.expression).body;
  const entries = statements.flatMap((statement) => {
    if (ts.isFunctionDeclaration(statement)) return [[statement.name.text, statement]];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.map(({ name }) => [name.text, statement]);
  });
  return new Map(entries);
}

/** Returns all identifiers in a node, except the names of members. */
function namesIn(node) {
  const names = new Set();
  const visit = (child) => {
    if (ts.isIdentifier(child)) names.add(child.text);
    if (ts.isPropertyAccessExpression(child)) visit(child.expression);
    else if (ts.isPropertyAssignment(child)) visit(child.initializer);
    else ts.forEachChild(child, visit);
  };
  visit(node);
  return names;
}
