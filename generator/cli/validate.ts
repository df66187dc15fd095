import { checkDocument, type CheckRequest } from "../document/check.js";
import { ExitCode, print, printJson } from "./output.js";

/** Arguments of `validate`. */
export interface ValidateArguments extends Omit<CheckRequest, "protoPaths"> {
  readonly protoPath?: readonly string[] | undefined;
  readonly json: boolean;
}

/** Runs `a2a-codegen validate`. */
export async function validateCommand(args: ValidateArguments): Promise<number> {
  const { spec, issues } = await checkDocument({ ...args, protoPaths: args.protoPath });
  const valid = issues.length === 0;
  if (args.json) printJson({ ok: valid, valid, spec, type: args.type, issues });
  else if (valid) print(`${args.source}: a valid ${args.type} of ${spec}`);
  else {
    print(`${args.source}: not a valid ${args.type} of ${spec}`);
    for (const { message } of issues) print(`  ${message}`);
  }
  return valid ? ExitCode.ok : ExitCode.failed;
}
