import type { Logger } from '@nestjs/common';
import type { Claim } from '../domain/claim.js';

/**
 * Locks and sends messages until none is due. A slow receiver does not delay the other messages. After an unexpected
 * error, a message is sent again when its time-limited lock (lease) ends.
 */
export async function sendDueMessages({
  concurrency,
  claimDue,
  send,
  log,
  stopSignal,
}: {
  readonly concurrency: number;
  readonly claimDue: (limit: number) => Promise<readonly Claim[]>;
  /** @param leasedAt the value of `performance.now()` just before the message was locked */
  readonly send: (claim: Claim, leasedAt: number) => Promise<void>;
  readonly log: Logger;
  readonly stopSignal: AbortSignal | undefined;
}): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  const start = (claim: Claim, leasedAt: number) => {
    const sent = send(claim, leasedAt)
      .catch((error: unknown) => log.error({ err: error as Error }, 'a message failed unexpectedly'))
      .finally(() => inFlight.delete(sent));
    inFlight.add(sent);
  };
  try {
    while (!stopSignal?.aborted) {
      const leasedAt = performance.now();
      const claims = await claimDue(concurrency - inFlight.size);
      for (const claim of claims) start(claim, leasedAt);
      if (inFlight.size === 0) return;
      if (claims.length === 0 || inFlight.size >= concurrency) await Promise.race(inFlight);
    }
  } finally {
    await Promise.all(inFlight);
  }
}
