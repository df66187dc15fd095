import type { ts } from "ts-morph";

/**
 * Returns whether an operator tests for equality or for inequality; `undefined` for any other
 * operator.
 */
export function equalityOf(
  operator: ts.SyntaxKind,
  { SyntaxKind }: typeof ts,
): boolean | undefined {
  if (operator === SyntaxKind.EqualsEqualsEqualsToken || operator === SyntaxKind.EqualsEqualsToken)
    return true;
  const { ExclamationEqualsEqualsToken, ExclamationEqualsToken } = SyntaxKind;
  return operator === ExclamationEqualsEqualsToken || operator === ExclamationEqualsToken
    ? false
    : undefined;
}

/** Returns whether an operator assigns a value. */
export function isAssignment(operator: ts.SyntaxKind, { SyntaxKind }: typeof ts): boolean {
  return operator >= SyntaxKind.FirstAssignment && operator <= SyntaxKind.LastAssignment;
}
