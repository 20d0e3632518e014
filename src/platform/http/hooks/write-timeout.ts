import type { FastifyInstance } from 'fastify';
import type { ServerResponse } from 'node:http';

const WRITE_TIMEOUT_MS = 30_000;

/**
 * Disconnects a client that reads nothing for one to two timeouts: an unread export would hold its slot and its memory
 * forever. Node's timeout restarts with every byte read; a response that is still being computed is left alone.
 */
export function enforceWriteTimeout({ server }: FastifyInstance, timeoutMs: number = WRITE_TIMEOUT_MS): void {
  server.on('request', (_request, response: ServerResponse) => {
    response.setTimeout(timeoutMs, () => {
      if (response.writableLength > 0) response.destroy();
    });
  });
}
