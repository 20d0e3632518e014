import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { v7 } from 'uuid';

/** What a caller may send: short and plain, so that it can stand in a log line as it is. */
const SAFE_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's `X-Request-Id` when it is sane, else a new one. */
export function getRequestId(request: IncomingMessage): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && SAFE_ID.test(sent) ? sent : v7({ random: randomBytes() });
}

const BYTES = 16;
const pool = Buffer.alloc(256 * BYTES);
let offset = pool.length;

/** From a pool, since every request takes some, and the system call costs the same for many as for few. */
function randomBytes(): Buffer {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  return pool.subarray(offset, (offset += BYTES));
}
