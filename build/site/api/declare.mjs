import { format } from "prettier";
import ts from "typescript";

const { factory } = ts;
const printer = ts.createPrinter({ removeComments: true });
const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
/** Names of modules in modules of an output, before names that a user imports without them. */
const namespaces = /\b(?:kit|models|testing)\.(?=[A-Z])/g;
const kept = new Set([ts.SyntaxKind.ReadonlyKeyword, ts.SyntaxKind.StaticKeyword]);

/**
 * Returns the declarations that describe an export: of a function each overload, and of a constant
 * whose type is a method of an interface this method.
 */
export function declarationsOf(symbol, checker) {
  const [first] = symbol.declarations;
  if (ts.isVariableDeclaration(first) && first.type && ts.isIndexedAccessTypeNode(first.type))
    return checker
      .getTypeAtLocation(first)
      .getCallSignatures()
      .map((signature) => signature.declaration);
  const overloads = symbol.declarations.filter((node) => ts.isFunctionLike(node) && !node.body);
  return overloads.length > 0 ? overloads : [first];
}

/** Returns the code of declarations under a name, without comments, bodies and private members. */
export async function codeOf(name, declarations, checker) {
  const lines = declarations.map((node) =>
    printer.printNode(
      ts.EmitHint.Unspecified,
      publicNode(name, node, checker),
      node.getSourceFile(),
    ),
  );
  const own = lines.join("\n").replaceAll(namespaces, "");
  const code = await format(own, { parser: "typescript", printWidth: 90 });
  return code.trim();
}

function publicNode(name, node, checker) {
  keepObjectsTogether(node);
  if (ts.isFunctionLike(node)) return functionNode(name, node, checker);
  if (ts.isClassDeclaration(node))
    return factory.createClassDeclaration(
      undefined,
      name,
      node.typeParameters,
      node.heritageClauses,
      node.members.filter(isPublic).map((member) => withoutBody(member, checker)),
    );
  if (ts.isInterfaceDeclaration(node))
    return factory.createInterfaceDeclaration(
      undefined,
      name,
      node.typeParameters,
      node.heritageClauses,
      node.members.filter(isPublic),
    );
  if (ts.isTypeAliasDeclaration(node))
    return factory.createTypeAliasDeclaration(undefined, name, node.typeParameters, node.type);
  if (ts.isVariableDeclaration(node))
    return factory.createVariableStatement(
      undefined,
      factory.createVariableDeclarationList(
        [factory.createVariableDeclaration(name, undefined, typeOf(node, checker))],
        ts.NodeFlags.Const,
      ),
    );
  throw new Error(`${name} is a ${ts.SyntaxKind[node.kind]}, which the reference cannot show`);
}

/** Prints object types in one line. The formatter breaks the lines that are too long. */
function keepObjectsTogether(node) {
  if (ts.isTypeLiteralNode(node) || ts.isMappedTypeNode(node))
    ts.setEmitFlags(node, ts.EmitFlags.SingleLine);
  node.forEachChild(keepObjectsTogether);
}

function functionNode(name, node, checker) {
  return factory.createFunctionDeclaration(
    undefined,
    undefined,
    name,
    node.typeParameters,
    node.parameters.map((parameter) => withoutDefault(parameter)),
    node.type ?? returnType(node, checker),
    undefined,
  );
}

function isPublic(member) {
  if (ts.isClassStaticBlockDeclaration(member)) return false;
  if (ts.getCombinedModifierFlags(member) & hidden) return false;
  if (ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "internal")) return false;
  return member.name === undefined || !ts.isPrivateIdentifier(member.name);
}

function withoutBody(member, checker) {
  const modifiers = member.modifiers?.filter(({ kind }) => kept.has(kind));
  const parameters = member.parameters?.map((parameter) => withoutDefault(parameter));
  const { name, questionToken, typeParameters } = member;
  if (ts.isConstructorDeclaration(member))
    return factory.createConstructorDeclaration(modifiers, parameters, undefined);
  if (ts.isGetAccessor(member))
    return factory.createGetAccessorDeclaration(modifiers, name, parameters, member.type);
  if (ts.isSetAccessor(member))
    return factory.createSetAccessorDeclaration(modifiers, name, parameters);
  if (ts.isMethodDeclaration(member))
    return factory.createMethodDeclaration(
      modifiers,
      member.asteriskToken,
      name,
      questionToken,
      typeParameters,
      parameters,
      member.type ?? returnType(member, checker),
      undefined,
    );
  const type = typeOf(member, checker);
  return factory.createPropertyDeclaration(modifiers, name, questionToken, type, undefined);
}

/** Returns a parameter as in a declaration: with a name, and optional instead of with a default. */
function withoutDefault(parameter) {
  const { name, initializer, questionToken, dotDotDotToken, type } = parameter;
  return factory.createParameterDeclaration(
    undefined,
    dotDotDotToken,
    ts.isIdentifier(name) ? name : nameFor(type),
    initializer ? factory.createToken(ts.SyntaxKind.QuestionToken) : questionToken,
    type,
  );
}

/** Returns a name for a parameter that is destructured. */
function nameFor(type) {
  const [name = "options"] = /^[A-Z]\w*(?!\.)/.exec(type?.typeName?.getText?.() ?? "") ?? [];
  return name.endsWith("Options") ? "options" : name[0].toLowerCase() + name.slice(1);
}

function typeOf(node, checker) {
  if (node.type) return node.type;
  return checker.typeToTypeNode(checker.getTypeAtLocation(node), node, typeFlags);
}

function returnType(node, checker) {
  const signature = checker.getSignatureFromDeclaration(node);
  return checker.typeToTypeNode(checker.getReturnTypeOfSignature(signature), node, typeFlags);
}

const typeFlags =
  ts.NodeBuilderFlags.NoTruncation | ts.NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope;

/** Returns the symbols of the named types in declarations, in order and without private members. */
export function symbolsIn(declarations, checker) {
  const found = new Set();
  const visit = (node) => {
    if (ts.isBlock(node) || (ts.isClassElement(node) && !isPublic(node))) return;
    const name =
      (ts.isTypeReferenceNode(node) && node.typeName) ||
      (ts.isExpressionWithTypeArguments(node) && node.expression);
    const symbol = name ? checker.getSymbolAtLocation(name) : undefined;
    if (symbol !== undefined)
      found.add(symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
    node.forEachChild(visit);
  };
  for (const node of declarations) visit(node);
  return [...found];
}
