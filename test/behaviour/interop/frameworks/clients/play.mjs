/**
 * Plays the conversations of the first argument with a client, and prints what the client tells
 * its user about each answer, as one line of JSON. `open` begins a conversation, and returns the
 * function that sends a message. If the message `aborts`, this function aborts the call with the
 * first chunk of the answer.
 */
export async function play(open) {
  const { conversations, ...given } = JSON.parse(process.argv[2]);
  const heard = [];
  for (const messages of conversations) {
    const say = await open(given);
    const answers = [];
    for (const { text, withFile = false, aborts = false } of messages)
      answers.push(await say(text, withFile, aborts).catch(({ message }) => failed(message)));
    heard.push(answers);
  }
  // Clients may keep connections open that they have left.
  process.stdout.write(`${JSON.stringify(heard)}\n`, () => process.exit());
}

function failed(error) {
  return { streamed: "", kept: "", files: 0, facts: [], error };
}
