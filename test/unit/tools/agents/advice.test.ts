import { expect, it } from "vitest";
import { connectionAdvice } from "../../../../tools/agents/index.js";

it.each([
  ["localhost:4000", "http://localhost:4000/rpc", "user"],
  ["https://agent.example.com/card.json", "https://agent.example.com/", "user"],
  ["localhost:50051", "localhost:50051", "user"],
  ["http://localhost:4000", "localhost:50051", "card"],
  ["http://127.0.0.1:4000", "127.0.0.1:50051", "card"],
  ["my-agent.example.com", "https://agent.example.com/", "card"],
  ["card.json", "http://localhost:4000/", "card"],
])("if the user names %s and %s is unreachable, the address is from the %s", (...row) => {
  const [reference, url, from] = row;
  const error = { message: "No response", url };
  const { hint } = connectionAdvice(error, { reference, source: "--agent-card" });
  expect(hint).toContain(from === "user" ? "is from --agent-card" : `The card of ${reference}`);
});
