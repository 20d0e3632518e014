import type { Logger } from '@nestjs/common';
import type { Claim } from '../../domain/deliveries/delivery.js';

/** In parallel: mail relays limit connections. */
const BATCH_SIZE = 5;

/** Claims and sends due mails in batches, until none is due. An unexpected failure is repeated after its lease. */
export async function sendDueMails({
  claimDue,
  send,
  log,
  stopSignal,
}: {
  readonly claimDue: (limit: number) => Promise<readonly Claim[]>;
  /** @param leasedAt by `performance.now()`, before the claim */
  readonly send: (claim: Claim, leasedAt: number) => Promise<void>;
  readonly log: Logger;
  readonly stopSignal: AbortSignal | undefined;
}): Promise<void> {
  while (!stopSignal?.aborted) {
    const leasedAt = performance.now();
    const claims = await claimDue(BATCH_SIZE);
    const results = await Promise.allSettled(claims.map((claim) => send(claim, leasedAt)));
    for (const result of results)
      if (result.status === 'rejected') log.error({ err: result.reason as Error }, 'a mail failed unexpectedly');
    if (claims.length < BATCH_SIZE) return;
  }
}
