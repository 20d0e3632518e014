import type { FastifyInstance } from 'fastify';
import { runWithCredentials } from '../../logging/request-credentials.js';

/** For the lines that requests lead to, which are written without their credentials. Install it before authentication. */
export function rememberCredentials(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ headers }, _reply, done) => runWithCredentials(headers, done));
  // Reading a body leaves what runs for the request.
  fastify.addHook('preValidation', ({ headers }, _reply, done) => runWithCredentials(headers, done));
}
