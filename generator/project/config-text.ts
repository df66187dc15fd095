import type { ParseError } from "jsonc-parser";
import { InputError } from "../../support/diagnostics.js";
import { locationIn } from "../../support/json-text.js";

/**
 * Value of a configuration, and its text with comments replaced by spaces, so that positions stay
 * the same.
 */
export interface ConfigText {
  readonly value: unknown;
  readonly text: string;
}

/**
 * Parses a configuration: JSON that may contain comments and trailing commas.
 *
 * @param file path of the file, as shown in messages
 * @throws InputError with the location of the first syntax error
 */
export async function parseConfigText(content: string, file: string): Promise<ConfigText> {
  const text = content.replace(/^\uFEFF/, "");
  try {
    return { value: JSON.parse(text), text };
  } catch {
    // Most configurations are plain JSON, which needs no additional parser.
    const { parse, printParseErrorCode, stripComments } = await import("jsonc-parser");
    const errors: ParseError[] = [];
    let value: unknown;
    try {
      value = parse(text, errors, { allowTrailingComma: true });
    } catch (error) {
      // The parser is recursive, so deeply nested text exceeds the call stack.
      if (!(error instanceof RangeError)) throw error;
      const message = "the configuration nests too deeply";
      throw new InputError({
        location: { file },
        message,
        hint: "Remove the inner objects and lists",
      });
    }
    const [first] = errors;
    if (first === undefined) return { value, text: stripComments(text, " ") };
    const words = printParseErrorCode(first.error).replace(
      /[A-Z]/g,
      (letter) => ` ${letter.toLowerCase()}`,
    );
    const message = `the configuration is not valid JSON:${words}`;
    const hint = "Correct it, or remove it and run `a2a-codegen init`";
    throw new InputError({ location: locationIn(file, text, first.offset), message, hint });
  }
}
