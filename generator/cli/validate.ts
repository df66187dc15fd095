import { checkDocument, type CheckRequest } from "../document/check.js";
import { ExitCode, print, printJson } from "../../tools/terminal/output.js";
import type { Arguments } from "./options.js";

/** Arguments of `validate`. */
export type ValidateArguments = Arguments<"validate"> & Pick<CheckRequest, "type" | "source">;

/** Runs `a2a-codegen validate`. */
export async function validateCommand(args: ValidateArguments): Promise<number> {
  const { spec, issues, misspelled, validIn } = await checkDocument({
    ...args,
    protoPaths: args.protoPath,
  });
  const valid = issues.length === 0;
  if (args.json)
    printJson({ ok: valid, valid, spec, type: args.type, issues, misspelled, validIn });
  else if (valid) print(`${args.source}: a valid ${args.type} of ${spec}`);
  else {
    print(`${args.source}: not a valid ${args.type} of ${spec}`);
    for (const { message } of issues) print(`  ${message}`);
    const [version] = validIn;
    if (version !== undefined)
      print(`  It is a valid ${args.type} of ${validIn.join(", ")}: add --spec ${version}`);
  }
  if (!args.json)
    for (const { path, problem, hint } of misspelled) print(`  ${path} ${problem}: ${hint}`);
  return valid ? ExitCode.ok : ExitCode.failed;
}
