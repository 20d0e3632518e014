import { toExcerpt } from '../../domain/deliveries/excerpt.js';

/** A reply may be endless. */
const MAX_READ_BYTES = 16 * 1_024;

/**
 * The start of the reply, for debugging; null for an empty one. The status decides the outcome, so a reply that breaks
 * off is not an error.
 */
export async function readExcerpt(reply: AsyncIterable<Uint8Array>): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of reply) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_READ_BYTES) break; // which destroys the stream, and its socket with it
    }
  } catch {
    // What came before the break is the excerpt.
  }
  return length === 0 ? null : toExcerpt(Buffer.concat(chunks));
}
