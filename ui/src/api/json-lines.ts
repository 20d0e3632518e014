/** Yields the JSON value of each line of a response, as soon as it arrives. */
export async function* readJsonLines<Message>(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Message> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + (value ?? '')).split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line !== '') yield JSON.parse(line) as Message;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // the connection may be broken already
  }
}
