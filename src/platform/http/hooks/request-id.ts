import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { v7 } from 'uuid';

/** Accepted from clients: short and safe to log. */
const SAFE_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The client's `X-Request-Id` if safe, else a new one. */
export function getRequestId(request: IncomingMessage): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && SAFE_ID.test(sent) ? sent : v7({ random: randomBytes() });
}

const BYTES = 16;
const pool = Buffer.alloc(256 * BYTES);
let offset = pool.length;

/** From a pool: one system call for many requests. */
function randomBytes(): Buffer {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  return pool.subarray(offset, (offset += BYTES));
}
