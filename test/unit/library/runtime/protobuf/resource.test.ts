import { describe, expect, it } from "vitest";
import { resourceName } from "../../../../../library/runtime/protobuf/resource.js";
import { ValidationError } from "../../../../../library/runtime/schema/schema.js";

const task = resourceName("tasks/{id}");
const config = resourceName("tasks/{taskId}/configs/{config.id?}", "task/{taskId}/configs");

/** Result of reading a name into a value. */
function read(name: typeof task, text: string, value: object = {}) {
  name.read(text, value, "name");
  return value;
}

describe("a resource name", () => {
  it("a resource name is built from ids and parsed again", () => {
    expect(task.write("a b")).toBe("tasks/a b");
    expect(read(task, "tasks/a b")).toEqual({ id: "a b" });
    expect(config.write("t", "c")).toBe("tasks/t/configs/c");
    expect(read(config, "tasks/t/configs/c")).toEqual({ taskId: "t", config: { id: "c" } });
  });

  it("a resource name leaves an optional id empty", () => {
    expect(config.write("t", undefined)).toBe("tasks/t/configs/");
    expect(read(config, "tasks/t/configs/")).toEqual({ taskId: "t" });
  });

  it("a resource name is read in each of its forms and written in the first form", () => {
    expect(read(config, "task/t/configs")).toEqual({ taskId: "t" });
  });

  it("a resource name keeps existing fields beside its ids", () => {
    expect(read(config, "tasks/t/configs/c", { config: { url: "u" } })).toEqual({
      taskId: "t",
      config: { url: "u", id: "c" },
    });
  });

  it.each([
    [undefined, "/id expected an id that is not empty, got nothing"],
    ["", '/id expected an id that is not empty, got ""'],
    ["a/b", '/id expected an id without a slash, got "a/b"'],
  ])("a resource name cannot be built from %j", (id, message) => {
    expect(() => task.write(id)).toThrow(ValidationError);
    expect(() => task.write(id)).toThrow(message);
  });

  it.each(["a", "tasks/", "tasks/a/b", "/tasks/a", "TASKS/a", "tasks/a\n/b"])(
    "a resource name is not found in %j",
    (text) => {
      expect(() => read(task, text)).toThrow('/name expected a name like "tasks/{id}"');
    },
  );

  it("a resource name must not contradict an existing id", () => {
    expect(read(task, "tasks/a", { id: "a" })).toEqual({ id: "a" });
    expect(() => read(task, "tasks/b", { id: "a" })).toThrow(
      '/name expected a name with the id "a", got "tasks/b"',
    );
  });

  it("an empty resource name is absent, because protobuf omits it", () => {
    expect(read(task, "")).toEqual({});
  });

  it("an inherited member of an object is not an id", () => {
    expect(read(resourceName("x/{__proto__.id}"), "x/a")).not.toHaveProperty("id");
    expect(Object.prototype).not.toHaveProperty("id");
  });
});
