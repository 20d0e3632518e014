import type { FastifyInstance } from 'fastify';
import type { ServerResponse } from 'node:http';

/** Milliseconds. */
const WRITE_TIMEOUT_MS = 30_000;

/**
 * A reader that takes nothing of what is there for it loses its connection, after the patience or twice that: else an
 * export that nobody reads would hold its place, and what is in memory for it, for as long as somebody likes. Node's
 * timeout starts anew with every byte that the other side took; one whose answer is still being made is left alone.
 */
export function enforceWriteTimeout({ server }: FastifyInstance, timeoutMs: number = WRITE_TIMEOUT_MS): void {
  server.on('request', (_request, response: ServerResponse) => {
    response.setTimeout(timeoutMs, () => {
      if (response.writableLength > 0) response.destroy();
    });
  });
}
