import { describe, expect, it } from '@jest/globals';
import { RefusedAuthentications } from '../../../src/auth/authentication/refused-authentications.js';
import type { AuditEntry, AuditTrail } from '../../../src/auth/index.js';
import { TestClock } from '../../support/fakes/test-clock.js';
import type { Metrics } from '../../../src/platform/metrics/metrics.js';
import type { UnitOfWork } from '../../../src/kernel/unit-of-work.js';

function start() {
  const recorded: AuditEntry[] = [];
  const audit = { originOf: () => ({}), record: (entry: AuditEntry) => Promise.resolve(void recorded.push(entry)) };
  const work = { run: (inside: () => Promise<unknown>) => inside() };
  const clock = new TestClock();
  const metrics = { counter: () => ({ increment: () => undefined }) };
  const refused = new RefusedAuthentications(
    audit as unknown as AuditTrail,
    work as unknown as UnitOfWork,
    clock,
    metrics as unknown as Metrics,
  );
  return { refused, recorded };
}

const countOf = ({ after }: AuditEntry) => Number(after?.['count']);

describe('refused credentials', () => {
  it('leave only 11 audit records if they come from 5 000 addresses', async () => {
    const { refused, recorded } = start();
    const attempt = { reason: 'unknown', accountId: null, keyId: null } as const;
    for (let n = 0; n < 5_000; n += 1) refused.add(attempt, `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    await refused.flush();
    expect(recorded).toHaveLength(11);
    expect(recorded.reduce((sum, entry) => sum + countOf(entry), 0)).toBe(5_000);
  });

  it('leave at most 1 001 audit records if they name keys of 5 000 accounts', async () => {
    const { refused, recorded } = start();
    for (let n = 0; n < 20_000; n += 1)
      refused.add({ reason: 'wrong_secret', accountId: `acc_${n % 5_000}`, keyId: `key_${n % 5_000}` }, '192.0.2.1');
    await refused.flush();
    expect(recorded.length).toBeLessThanOrEqual(1_001);
    expect(recorded.reduce((sum, entry) => sum + countOf(entry), 0)).toBe(20_000);
    await refused.flush();
    expect(recorded.length).toBeLessThanOrEqual(1_001); // what was recorded is not recorded again
  });
});
