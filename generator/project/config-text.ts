import type { ParseError } from "jsonc-parser";
import { InputError } from "../support/diagnostics.js";
import { locationIn } from "../support/json-text.js";

/** The value of a configuration, and its text without comments, in which everything else is where it was. */
export interface ConfigText {
  readonly value: unknown;
  readonly text: string;
}

/**
 * Parses a configuration: JSON, in which comments and commas at the end of lists and objects are allowed.
 *
 * @throws InputError with the location of the first syntax error; `file` is what messages call the file.
 */
export async function parseConfigText(content: string, file: string): Promise<ConfigText> {
  const text = content.replace(/^\uFEFF/, "");
  try {
    return { value: JSON.parse(text), text };
  } catch {
    // Most configurations are plain JSON, and do without another parser.
    const { parse, printParseErrorCode, stripComments } = await import("jsonc-parser");
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first === undefined) return { value, text: stripComments(text, " ") };
    const words = printParseErrorCode(first.error).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const message = `the configuration is not valid JSON:${words}`;
    const hint = "Correct it, or remove it and run `a2a-codegen init`";
    throw new InputError({ location: locationIn(file, text, first.offset), message, hint });
  }
}
