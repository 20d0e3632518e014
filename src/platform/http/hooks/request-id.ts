import { randomFillSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { v7 } from 'uuid';
import { toShownHeader } from '../shown-header.js';

const MAX_CLIENT_ID_LENGTH = 100;

/** Ours, whatever the client sends: an id that a client could choose would prove nothing about a request. */
export function newRequestId(): string {
  return v7({ random: randomBytes() });
}

/** What the client or a proxy calls the request. It may be anyone's, or that of another request. */
export function getClientRequestId(headers: IncomingHttpHeaders): string | null {
  return toShownHeader([headers['x-request-id']].flat()[0], MAX_CLIENT_ID_LENGTH);
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
