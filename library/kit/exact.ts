/** Characters that some stores cannot store unchanged. */
const inexact = /[\0\p{Surrogate}]/u;

/** The requirement on texts, as the end of a message. */
export const exactness = "must not contain NUL or an unpaired surrogate";

/** Returns whether stores could confuse a text with another text. */
export function isInexact(text: string): boolean {
  return inexact.test(text);
}

/**
 * Checks texts that a program passes to a method.
 * @param method Name of the method.
 * @param texts The texts by their names.
 * @throws A `TypeError` if stores could confuse a text with another text.
 */
export function checkExact(method: string, texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts))
    if (isInexact(text)) throw new TypeError(`\`${name}\` of ${method} ${exactness}`);
}
