import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

const HEADER = 'x-forwarded-for';

/**
 * Says once when a proxy seems to stand in front that TRUST_PROXY does not name: all callers then count as one address,
 * and whatever is limited by address is limited for all of them together.
 */
export function warnAboutUntrustedProxy(fastify: FastifyInstance): void {
  const log = new Logger('Http');
  let hasWarned = false;
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!hasWarned && request.headers[HEADER] !== undefined && (request.ips?.length ?? 1) === 1) {
      hasWarned = true;
      log.warn(
        `X-Forwarded-For from ${request.ip} is ignored, and its callers count as one address: ` +
          'if that is your proxy, set TRUST_PROXY',
      );
    }
    done();
  });
}
