import { expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { sendDueMessages } from '../../../../src/notifications/own-mail/send-due-messages.js';
import type { Claim } from '../../../../src/notifications/domain/claim.js';

Logger.overrideLogger(false);

it('sending due messages goes on after a failure, waits for all in progress, and claims none after the stop signal', async () => {
  const held = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const seen = { claimed: 0, begun: 0, isOver: false };
  const run = sendDueMessages({
    concurrency: 5,
    claimDue: async (limit) => {
      seen.claimed += 1;
      return Array.from({ length: limit }, (_, n): Claim => ({ id: `${n}`, token: '' }));
    },
    send: () => {
      seen.begun += 1;
      return seen.begun === 1 ? Promise.reject(new Error('the database is away')) : held.promise;
    },
    log: new Logger(),
    stopSignal: stopping.signal,
  }).finally(() => (seen.isOver = true));
  while (seen.begun < 6) await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(seen.isOver).toBe(false);
  stopping.abort();
  held.resolve();
  await run;
  expect(seen).toEqual({ claimed: 2, begun: 6, isOver: true });
});
