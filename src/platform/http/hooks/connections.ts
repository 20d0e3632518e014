import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';

/**
 * At shutdown, closes connections that never sent a request, because the server would wait for their header timeout.
 */
export function closeUnusedConnections(fastify: FastifyInstance): void {
  const unused = new Set<Socket>();
  fastify.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  fastify.server.on('request', ({ socket }) => unused.delete(socket));
  fastify.addHook('preClose', (done) => {
    for (const socket of unused) socket.destroy();
    done();
  });
}

const WRITE_TIMEOUT_MS = 30_000;

/**
 * Disconnects a client that stops reading. This takes up to two timeouts, because Node looks for progress once per
 * timeout.
 */
export function enforceWriteTimeout({ server }: FastifyInstance, timeoutMs: number = WRITE_TIMEOUT_MS): void {
  server.on('request', (_request, response: ServerResponse) => {
    response.setTimeout(timeoutMs, () => {
      if (response.writableLength > 0) response.destroy();
    });
  });
}

const HEADER = 'x-forwarded-for';

/** Warns once if requests seem to come through a proxy that TRUST_PROXY does not name. */
export function warnAboutUntrustedProxy(fastify: FastifyInstance): void {
  const log = new Logger('Http');
  let hasWarned = false;
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!hasWarned && request.headers[HEADER] !== undefined && (request.ips?.length ?? 1) === 1) {
      hasWarned = true;
      log.warn(
        `X-Forwarded-For from ${request.ip} is ignored, so that all its clients count as one address: ` +
          'if that is your proxy, set TRUST_PROXY',
      );
    }
    done();
  });
}
