import { beforeAll, describe, expect, it } from '@jest/globals';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { Logger } from '@nestjs/common';
import type { DeliveryConfig } from '../../../../src/config/sections.js';
import { SendConfirmationMails } from '../../../../src/notifications/digests/send-confirmation-mails.js';
import { SendDigests } from '../../../../src/notifications/digests/send-digests.js';
import type { Claim } from '../../../../src/notifications/domain/delivery.js';
import { TestClock } from '../../../support/fakes/test-clock.js';

beforeAll(() => void Logger.overrideLogger(false));

const config: DeliveryConfig = { leaseSeconds: 30, sending: true };
const clock = new TestClock();

/** Claims without end, as many as are asked for, of which the first fails at once and the others when the test says so. */
function aBatch() {
  const held = Promise.withResolvers<null>();
  const seen = { claimed: 0, begun: 0 };
  const claimDue = (...parameters: unknown[]) => {
    seen.claimed += 1;
    return Promise.resolve(
      Array.from({ length: Number(parameters.at(-1)) }, (_, n): Claim => ({ id: `${n}`, token: '' })),
    );
  };
  const run = () => {
    seen.begun += 1;
    return seen.begun === 1 ? Promise.reject(new Error('the database is away')) : held.promise;
  };
  return { seen, held, source: { claimDue }, work: { run } };
}

const UNUSED = {};
const KINDS = {
  digests: ({ source, work }: ReturnType<typeof aBatch>) =>
    new SendDigests(
      ...([source, UNUSED, UNUSED, UNUSED, UNUSED, work, clock, config, TimeUnits.REAL] as never as Digests),
    ),
  questions: ({ source, work }: ReturnType<typeof aBatch>) =>
    new SendConfirmationMails(...([source, UNUSED, UNUSED, work, clock, config] as never as Questions)),
};
type Digests = ConstructorParameters<typeof SendDigests>;
type Questions = ConstructorParameters<typeof SendConfirmationMails>;

describe.each(['digests', 'questions'] as const)('sending %s', (kind) => {
  it('goes on after a failure, waits for all in progress, and claims none after the stop signal', async () => {
    const batch = aBatch();
    const ending = new AbortController();
    let isOver = false;
    const run = KINDS[kind](batch)
      .run(ending.signal)
      .finally(() => (isOver = true));
    while (batch.seen.begun < 6) await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    ending.abort();
    batch.held.resolve(null);
    await run;
    expect(batch.seen).toEqual({ claimed: 2, begun: 6 });
  });
});
