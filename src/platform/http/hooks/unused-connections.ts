import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/**
 * Clients open connections ahead of their requests. Node takes one that has sent nothing yet for a busy one, and a
 * server that closes would wait for it until its headers are overdue.
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
