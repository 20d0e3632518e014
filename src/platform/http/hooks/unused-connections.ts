import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/**
 * Clients open connections ahead of their requests. Node takes one that has sent nothing yet for a busy one, and a
 * server that closes would wait for it until its headers are overdue.
 */
export function closeSilentConnections(fastify: FastifyInstance): void {
  const silent = new Set<Socket>();
  fastify.server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  fastify.server.on('request', ({ socket }) => silent.delete(socket));
  fastify.addHook('preClose', (done) => {
    for (const socket of silent) socket.destroy();
    done();
  });
}
