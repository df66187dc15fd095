import fc from "../../../../support/properties.js";
import { processorTime } from "../../../../support/processor-time.js";
import { describe, expect, it } from "vitest";
import {
  expandRoute,
  routeFields,
  Router,
} from "../../../../../library/runtime/bindings/rest/route.js";

const routes = [
  ["POST", "/message:send"],
  ["POST", "/{tenant}/message:send"],
  ["GET", "/tasks/{id=*}"],
  ["GET", "/{tenant}/tasks/{id=*}"],
  ["GET", "/tasks"],
  ["GET", "/{tenant}/tasks"],
  ["POST", "/tasks/{id=*}:cancel"],
  ["POST", "/{tenant}/tasks/{id=*}:cancel"],
  ["GET", "/tasks/{task_id}/configs/{id}"],
  ["DELETE", "/tasks/{task_id}/configs/{id}"],
  ["GET", "/v1/{name=tasks/*}"],
  ["GET", "/v1/{parent=tasks/*}/configs"],
  ["GET", "/files/{path=**}"],
  ["GET", "/files/{path=**}:meta"],
  ["POST", "/v1//double"],
  ["PATCH", "/deep/{a.b.c}"],
] as const;

const router = new Router(
  routes.map(([verb, path]) => ({ method: verb, path, target: `${verb} ${path}` })),
);

function find(verb: string, path: string): unknown {
  const match = router.match(verb, path);
  if (match?.allow !== undefined) return { allow: match.allow };
  return match && [match.target, Object.fromEntries(match.variables)];
}

describe("Router", () => {
  it("the router finds literal paths and paths with variables", () => {
    expect(find("POST", "/message:send")).toEqual(["POST /message:send", {}]);
    expect(find("GET", "/tasks")).toEqual(["GET /tasks", {}]);
    expect(find("GET", "/tasks/t1")).toEqual(["GET /tasks/{id=*}", { id: "t1" }]);
    expect(find("DELETE", "/tasks/t1/configs/c1")).toEqual([
      "DELETE /tasks/{task_id}/configs/{id}",
      { task_id: "t1", id: "c1" },
    ]);
    expect(find("PATCH", "/deep/x")).toEqual(["PATCH /deep/{a.b.c}", { "a.b.c": "x" }]);
    expect(find("POST", "/v1//double")).toEqual(["POST /v1//double", {}]);
  });

  it("the router prefers a literal segment to a variable", () => {
    expect(find("GET", "/acme/tasks/t1")).toEqual([
      "GET /{tenant}/tasks/{id=*}",
      { tenant: "acme", id: "t1" },
    ]);
    expect(find("GET", "/tasks/tasks")).toEqual(["GET /tasks/{id=*}", { id: "tasks" }]);
    expect(find("GET", "/acme/tasks")).toEqual(["GET /{tenant}/tasks", { tenant: "acme" }]);
  });

  it("the router reads a suffix after a colon as a custom method only if a route declares it", () => {
    expect(find("POST", "/tasks/a:cancel")).toEqual(["POST /tasks/{id=*}:cancel", { id: "a" }]);
    expect(find("POST", "/tasks/a:b:cancel")).toEqual(["POST /tasks/{id=*}:cancel", { id: "a:b" }]);
    expect(find("GET", "/tasks/a:b")).toEqual(["GET /tasks/{id=*}", { id: "a:b" }]);
    expect(find("GET", "/tasks/a%3Acancel")).toEqual(["GET /tasks/{id=*}", { id: "a:cancel" }]);
    expect(find("GET", "/tasks/a:cancel")).toEqual({ allow: ["POST"] });
    expect(find("POST", "/tasks/:cancel")).toEqual({ allow: ["GET"] });
  });

  it("the router returns variables of several segments with their slashes", () => {
    expect(find("GET", "/v1/tasks/t1")).toEqual(["GET /v1/{name=tasks/*}", { name: "tasks/t1" }]);
    expect(find("GET", "/v1/tasks/t1/configs")).toEqual([
      "GET /v1/{parent=tasks/*}/configs",
      { parent: "tasks/t1" },
    ]);
    expect(find("GET", "/files/a/b/c")).toEqual(["GET /files/{path=**}", { path: "a/b/c" }]);
    expect(find("GET", "/files/a/b:meta")).toEqual(["GET /files/{path=**}:meta", { path: "a/b" }]);
    expect(find("GET", "/files/a%2Fb/%63")).toEqual(["GET /files/{path=**}", { path: "a%2Fb/c" }]);
  });

  it("the router decodes variables, and finds no route if an escape is invalid", () => {
    expect(find("GET", "/tasks/a%20b%2Fc")).toEqual(["GET /tasks/{id=*}", { id: "a b/c" }]);
    expect(find("GET", "/tasks/%E0%A4%A")).toBeUndefined();
    expect(find("GET", "/tasks/%ff")).toBeUndefined();
  });

  it("the router never throws, and takes linear time in the length of the path", () => {
    fc.assert(fc.property(fc.string(), (path) => void router.match("GET", `/tasks/${path}`)));
    const start = processorTime();
    router.match("GET", "/a:cancel".repeat(50_000));
    router.match("GET", `/files/${":meta/".repeat(50_000)}`);
    expect(processorTime() - start).toBeLessThan(500);
  });
});

describe("expandRoute", () => {
  const fill = (path: string, values: Record<string, string>) =>
    expandRoute(path, (field) => values[field]);

  it("expandRoute inserts and encodes values", () => {
    expect(fill("/{tenant}/tasks/{id=*}:cancel", { tenant: "a b", id: "x/y:z" })).toBe(
      "/a%20b/tasks/x%2Fy%3Az:cancel",
    );
    expect(fill("/v1/{name=tasks/*}", { name: "tasks/t 1" })).toBe("/v1/tasks/t%201");
    expect(fill("/files/{path=**}", { path: "a/b/c" })).toBe("/files/a/b/c");
  });

  it("expandRoute returns undefined if the template cannot represent the value", () => {
    expect(fill("/tasks/{id}", {})).toBeUndefined();
    expect(fill("/tasks/{id}", { id: "" })).toBeUndefined();
    expect(fill("/tasks/{id}", { id: ".." })).toBeUndefined();
    expect(fill("/tasks/{id}", { id: "\ud800" })).toBeUndefined();
    expect(fill("/v1/{name=tasks/*}", { name: "notes/t1" })).toBeUndefined();
    expect(fill("/v1/{name=tasks/*}", { name: "tasks/a/b" })).toBeUndefined();
  });

  it("the router reads an expanded route", () => {
    const path = "/{tenant}/tasks/{id=*}:cancel";
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        (tenant, id) => {
          const url = fill(path, { tenant, id });
          fc.pre(url !== undefined && tenant !== "v1");
          expect(find("POST", url)).toEqual([`POST ${path}`, { tenant, id }]);
        },
      ),
    );
  });
});

describe("routeFields", () => {
  it("routeFields returns the fields in their order", () => {
    expect(routeFields("/{tenant}/tasks/{task_id=*}/configs/{a.b}:x")).toEqual([
      "tenant",
      "task_id",
      "a.b",
    ]);
    expect(routeFields("/tasks")).toEqual([]);
  });
});
