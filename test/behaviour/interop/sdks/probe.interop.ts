import { expect, it } from "vitest";
import { expectKnownFailures } from "../../../product/tools/probe/known.js";
import { serverOf, type Sdk } from "./sides.js";

/** The SDKs whose failures are listed. */
const languages = /^(?:Python|Go) /;

const sdks = (JSON.parse(process.env["INTEROP_SDKS"] ?? "[]") as readonly Sdk[]).filter(
  ({ name }) => languages.test(name),
);

it.each(sdks.map((sdk) => [sdk.name, sdk] as const))(
  "a server of %s breaks only the rules of the probe that it is known to break",
  async (name, sdk) => {
    expect.hasAssertions();
    const host = await serverOf(sdk)();
    try {
      await expectKnownFailures(name.toLowerCase().replaceAll(" ", "-"), host.url);
    } finally {
      await host.close();
    }
  },
  60_000,
);

if (sdks.length === 0)
  it.skip("the probe has no list of known failures for the selected SDKs", () => undefined);
