import { useChat } from "@ai-sdk/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";

function Chat() {
  const { messages, sendMessage, status } = useChat();
  const [text, setText] = useState("");
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <p key={id} className={role}>
          {parts.map((part) => (part.type === "text" ? part.text : ""))}
        </p>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text });
          setText("");
        }}
      >
        <input
          aria-label="Message"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />
        <button disabled={status === "submitted" || status === "streaming"}>Send</button>
      </form>
    </main>
  );
}

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<Chat />);
