import { AIMessage } from "@langchain/core/messages";
import { END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { kitSaver } from "a2a-codegen-runtime/bridges/langgraph";

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("plan", ({ messages }) => ({
    messages: [new AIMessage(`A flight to ${messages.at(-1)?.text ?? ""} costs 100 €.`)],
  }))
  .addNode("book", () => {
    const answer: unknown = interrupt({ question: "Book it?", price: 100 });
    return { messages: [new AIMessage(answer === "yes" ? "Booked." : "Not booked.")] };
  })
  .addEdge(START, "plan")
  .addEdge("plan", "book")
  .addEdge("book", END)
  .compile({ checkpointer: kitSaver() });
