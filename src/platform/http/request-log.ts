import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { pathOf } from './problem.filter.js';

/** Asked every few seconds by whoever runs the service; nobody reads that. */
const SILENT = new Set(['/livez', '/readyz']);
/** Where less is logged, no request pays for a line that nobody would see. */
const TOLD_AT = new Set(['trace', 'debug', 'info']);

/** One line for each request that was answered: what, by whom, how, how long. Never headers, queries or bodies. */
export function logRequests(fastify: FastifyInstance, level: string): void {
  if (!TOLD_AT.has(level)) return;
  const log = new Logger('Http');
  fastify.addHook('onResponse', (request, reply, done) => {
    const path = pathOf(request.url);
    if (!SILENT.has(path)) {
      const { id: requestId, method, ip } = request;
      const account = (request as { caller?: { account: { id: string } } | null }).caller?.account.id;
      const took = Math.round(reply.elapsedTime * 10) / 10;
      log.log({ requestId, method, path, status: reply.statusCode, ms: took, ip, account }, 'request');
    }
    done();
  });
}
