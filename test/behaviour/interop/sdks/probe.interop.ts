import { expect, it } from "vitest";
import { expectKnownFailures } from "../../../product/tools/probe/known.js";
import { serverOf, type Sdk } from "./sides.js";

const sdks = JSON.parse(process.env["INTEROP_SDKS"] ?? "[]") as readonly Sdk[];

/** Returns the name of an SDK in the lists of the probe. */
function listOf({ name, version, model }: Sdk): string {
  const [language = ""] = name.toLowerCase().split(" ");
  const [own] = (model ?? version).split(/(?<=^\d+\.\d+)\./);
  return [language, own, ...(model === undefined ? [] : ["for-0.3"])].join("-");
}

it.each(sdks.map((sdk) => [sdk.name, sdk] as const))(
  "a server of %s breaks exactly the rules of the probe in the list of the package",
  async (name, sdk) => {
    expect.hasAssertions();
    const [, , release = ""] = name.split(" ");
    const host = await serverOf(sdk)();
    try {
      await expectKnownFailures(listOf(sdk), release, host.url);
    } finally {
      await host.close();
    }
  },
  60_000,
);

if (sdks.length === 0) it.skip("the probe has no SDK to check", () => undefined);
