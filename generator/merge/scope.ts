import { extname } from "node:path";
import { ts } from "ts-morph";
import { withSlashes } from "../../support/paths.js";
import type { MergePlan, Modules, ServicePlan } from "./types.js";

/** Class or object literal: the nodes that can implement an interface. */
export type Body = ts.ClassLikeDeclaration | ts.ObjectLiteralExpression;

/** Member of a class or object literal. */
export type Member = ts.ClassElement | ts.ObjectLiteralElementLike;

/** Path of the stubs that represent the modules of the output. */
const outputFolder = "/a2a-codegen-output/";
const libraryFile = "/a2a-codegen-library.d.ts";

/** Global types whose values are streams. */
export const streamTypes = [
  "AsyncIterable",
  "AsyncGenerator",
  "AsyncIterableIterator",
  "AsyncIteratorObject",
  "ReadableStream",
];

/**
 * The global types that implementations of a service use. The compiler does not need the real
 * libraries.
 */
const library = `
interface Array<T> { [index: number]: T }
interface Boolean {} interface CallableFunction {} interface Function {} interface IArguments {}
interface NewableFunction {} interface Number {} interface RegExp {} interface String {} interface Object {}
interface PromiseLike<T> { then(use: (value: T) => unknown): unknown }
interface Promise<T> extends PromiseLike<T> {}
${streamTypes.map((name) => `interface ${name}<T, R = any, N = any> { stream: T }`).join("\n")}
type Awaited<T> = T extends PromiseLike<infer U> ? Awaited<U> : T;
type Partial<T> = { [K in keyof T]?: T[K] };
type Required<T> = { [K in keyof T]-?: T[K] };
type Readonly<T> = { readonly [K in keyof T]: T[K] };
type NonNullable<T> = T & {};
type Pick<T, K extends keyof T> = { [P in K]: T[P] };
type Exclude<T, U> = T extends U ? never : T;
type Omit<T, K> = Pick<T, Exclude<keyof T, K>>;
declare var Object: { freeze<T>(value: T): T; seal<T>(value: T): T; preventExtensions<T>(value: T): T };
`;

/** Maximum number of the user's files through which an import is followed. */
const maxDepth = 8;

/**
 * Source file with a type checker. The checker also reads the user's files that the file imports. A
 * stub with the service and the types of its methods represents each module of the output.
 */
export class Scope {
  readonly source: ts.SourceFile;
  readonly checker: ts.TypeChecker;
  /** First syntax error of the file, if any. */
  readonly error: ts.DiagnosticWithLocation | undefined;

  constructor(text: string, { file, service, modules }: MergePlan) {
    const main = `/a2a-codegen-merge/source${extname(file) || ".ts"}`;
    const program = programOf(main, text, stubOf(service, text), modules);
    const source = program.getSourceFile(main);
    if (source === undefined) throw new Error(`The compiler does not read ${main}`);
    this.source = source;
    this.checker = program.getTypeChecker();
    this.error = program.getSyntacticDiagnostics(source)[0];
  }

  /** Returns the declarations that a name refers to, in the file or in another file of the user. */
  declarationsOf(name: ts.Node): readonly ts.Declaration[] {
    const { parent } = name;
    const symbol = ts.isShorthandPropertyAssignment(parent)
      ? this.checker.getShorthandAssignmentValueSymbol(parent)
      : this.checker.getSymbolAtLocation(name);
    const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return (isAlias ? this.checker.getAliasedSymbol(symbol) : symbol)?.declarations ?? [];
  }

  /** Returns the name of the export of the output that a name refers to, if any. */
  originOf(name: ts.Node): string | undefined {
    const found = this.declarationsOf(name).find(isOfOutput);
    const declared = found && ts.getNameOfDeclaration(found);
    return declared && ts.isIdentifier(declared) ? declared.text : undefined;
  }

  /**
   * Returns the type of the value of a body: of an object literal, or of an instance of a class.
   */
  typeOf(body: Body): ts.Type {
    const type = this.checker.getTypeAtLocation(body);
    return ts.isClassExpression(body)
      ? (type.getConstructSignatures()[0]?.getReturnType() ?? type)
      : type;
  }

  /** Returns the own members of a body with a name, in the order of the text. */
  membersOf(body: Body, name: string): readonly Member[] {
    const declared: readonly ts.Node[] = this.typeOf(body).getProperty(name)?.declarations ?? [];
    return membersOf(body).filter((member) => declared.includes(member));
  }

  /** Returns the declared signatures of a method, which may be a property with a function. */
  signaturesOf(body: Body, name: string): readonly ts.SignatureDeclaration[] {
    const property = this.typeOf(body).getProperty(name);
    const type = property && this.checker.getTypeOfSymbolAtLocation(property, body);
    const declared = type?.getCallSignatures().map(({ declaration }) => declaration) ?? [];
    return declared.filter(
      (declaration) => declaration !== undefined && !ts.isJSDocSignature(declaration),
    );
  }
}

/** Returns the members of a body, in the order of the text. */
export function membersOf(body: Body): ts.NodeArray<Member> {
  return ts.isObjectLiteralExpression(body) ? body.properties : body.members;
}

/** Returns the types in the `extends` or `implements` clause of a class. */
export function clauseTypes(
  { heritageClauses }: ts.ClassLikeDeclaration,
  keyword: ts.HeritageClause["token"],
): readonly ts.ExpressionWithTypeArguments[] {
  return heritageClauses?.find(({ token }) => token === keyword)?.types ?? [];
}

/** Returns whether a declaration is in a stub of the output. */
export function isOfOutput(node: ts.Node): boolean {
  return node.getSourceFile().fileName.startsWith(outputFolder);
}

/** Returns a node and all its descendants, in the order of the text. */
export function nodesOf(node: ts.Node): ts.Node[] {
  const nodes = [node];
  ts.forEachChild(node, (child) => void nodes.push(...nodesOf(child)));
  return nodes;
}

/** Returns whether a node has a modifier. */
export function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  return (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) === true
  );
}

/** Removes the syntax around an expression that does not change its value. */
export function unwrap(node: ts.Node): ts.Node {
  const isWrapper =
    ts.isParenthesizedExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isAssertionExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node);
  return isWrapper ? unwrap(node.expression) : node;
}

/**
 * Returns declarations of the service, its factories, and every other name that a text may import
 * from the output.
 */
function stubOf({ name, factory, serviceFactories, methods }: ServicePlan, text: string): string {
  const names = new Set<string>(text.match(/\b[A-Za-z_]\w+/g));
  for (const declared of [name, factory.name, ...serviceFactories]) names.delete(declared);
  const operations = methods.map((method) => `${method.name}(...args: any): any;`).join(" ");
  const options = `{ ${factory.property}: ${name}; [key: string]: any }`;
  return [
    `export interface ${name} { ${operations} }`,
    `export declare function ${factory.name}(options: ${options}): any;`,
    ...serviceFactories.map((made) => `export declare function ${made}(...args: any): ${name};`),
    ...[...names].map((type) => `export declare class ${type} { readonly "type ${type}": never }`),
  ].join("\n");
}

/** Compiles a text with the user's files that it imports, and the stub of the output. */
function programOf(main: string, text: string, stub: string, modules: Modules): ts.Program {
  const texts = new Map([
    [libraryFile, library],
    [main, text],
  ]);
  const readers = new Map([[main, { modules, depth: 0 }]]);
  const resolve = (specifier: string, containing: string): ts.ResolvedModuleFull | undefined => {
    const reader = readers.get(containing);
    const module = reader?.modules.moduleOf(specifier);
    if (module !== undefined) {
      const resolvedFileName = `${outputFolder}${module}.d.ts`;
      texts.set(resolvedFileName, stub);
      return { resolvedFileName, extension: ts.Extension.Dts };
    }
    if (reader === undefined || reader.depth === maxDepth) return undefined;
    const found = reader.modules.read(specifier);
    if (found === undefined) return undefined;
    const resolvedFileName = withSlashes(found.file);
    texts.set(resolvedFileName, found.text);
    if (!readers.has(resolvedFileName))
      readers.set(resolvedFileName, { modules: found.modules, depth: reader.depth + 1 });
    return { resolvedFileName, extension: extname(found.file) };
  };
  const options = { noLib: true, allowJs: true, strict: true, types: [] };
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    getSourceFile: (name) => {
      const found = texts.get(name);
      const { Latest } = ts.ScriptTarget;
      return found === undefined ? undefined : ts.createSourceFile(name, found, Latest, true);
    },
    resolveModuleNameLiterals: (literals, containing) =>
      literals.map((literal) => ({ resolvedModule: resolve(literal.text, containing) })),
  };
  return ts.createProgram({ rootNames: [libraryFile, main], options, host });
}
