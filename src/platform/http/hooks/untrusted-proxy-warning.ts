import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

const HEADER = 'x-forwarded-for';

/**
 * Warns once when requests seem to come through a proxy that TRUST_PROXY does not name: all clients then share one
 * address, and its limits.
 */
export function warnAboutUntrustedProxy(fastify: FastifyInstance): void {
  const log = new Logger('Http');
  let hasWarned = false;
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!hasWarned && request.headers[HEADER] !== undefined && (request.ips?.length ?? 1) === 1) {
      hasWarned = true;
      log.warn(
        `X-Forwarded-For from ${request.ip} is ignored, so that all its clients count as one address:  ` +
          'if that is your proxy, set TRUST_PROXY',
      );
    }
    done();
  });
}
