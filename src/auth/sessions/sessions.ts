import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Is replaced by the branch `sessions`. */
@Injectable()
export class Sessions {
  start(owner: { personId: string }, _request: FastifyRequest): Promise<{ cookie: string }> {
    return Promise.resolve({ cookie: `session-of-${owner.personId}=1` });
  }
}
