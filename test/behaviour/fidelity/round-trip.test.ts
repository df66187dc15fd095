import fc, { arbitrary } from "../../support/properties.js";
import { sized } from "../../support/size.js";
import { beforeAll, describe, expect, it } from "vitest";
import { emit, readVersion, subjects, type Emitted } from "./versions.js";

describe.each(subjects)("what the bindings of $name carry", ({ source }) => {
  const { messages, values, expected, wire } = readVersion(source);
  let emitted: Emitted;

  beforeAll(async () => {
    emitted = await emit(source);
  });

  it("is compared for every message that carries something", () => {
    expect(messages.length).toBeGreaterThan(0);
    expect(wire.messages.length - messages.length).toBeLessThan(2);
  });

  it.each([...messages])("is all of $name but for what the report names", ({ name, model }) => {
    const property = fc.property(
      arbitrary((random) => values.of(model, random)),
      (value) => {
        const json: unknown = JSON.parse(JSON.stringify(emitted.toProtoJson(name, value)));
        const overGrpc = emitted.decode(name, emitted.encode(name, value));
        const overHttp = emitted.fromProtoJson(name, json);
        expect(overGrpc).toEqual(expected(model, value, "grpc"));
        expect(overHttp).toEqual(expected(model, value, "rest"));
        if ("name" in model)
          expect([overGrpc, overHttp].map((one) => emitted.is(model.name, one))).toEqual([true, true]);
      },
    );
    fc.assert(property, { numRuns: sized(40, 200) });
  });
});
