import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/**
 * Closes connections without a request at shutdown. Clients open connections ahead of requests; Node counts these as
 * busy, and a closing server would wait for their header timeout.
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
