import { describe, expect, it } from '@jest/globals';
import { RefusedAuthentications } from '../../../src/auth/application/audit/refused-authentications.js';
import type { AuditEntry, AuditTrail } from '../../../src/auth/index.js';
import type { Config } from '../../../src/config/config.js';
import type { UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { Metrics } from '../../../src/platform/metrics/metrics.js';

function start() {
  const recorded: AuditEntry[] = [];
  const audit = { originOf: () => ({}), record: (entry: AuditEntry) => Promise.resolve(void recorded.push(entry)) };
  const work = { run: (inside: () => Promise<unknown>) => inside() };
  const metrics = new Metrics({ role: 'api', metricsPort: null } as Config);
  const clock = { now: () => new Date(0) };
  const refused = new RefusedAuthentications(
    audit as unknown as AuditTrail,
    work as unknown as UnitOfWork,
    clock,
    metrics,
  );
  return { refused, recorded, metrics };
}

const countOf = ({ after }: AuditEntry) => Number(after?.['count']);

describe('refused credentials', () => {
  it('of an attacker who knows the keys of 5 000 accounts leave a bounded number of records a minute', async () => {
    const { refused, recorded } = start();
    for (let n = 0; n < 20_000; n += 1)
      refused.add({ reason: 'wrong_secret', accountId: `acc_${n % 5_000}`, keyId: `key_${n % 5_000}` }, '192.0.2.1');
    await refused.flush();
    expect(recorded.length).toBeLessThanOrEqual(1_001);
    expect(recorded.reduce((sum, entry) => sum + countOf(entry), 0)).toBe(20_000);
    await refused.flush();
    expect(recorded.length).toBeLessThanOrEqual(1_001); // what was recorded is not recorded again
  });

  it('are counted by reason, whatever is recorded of them', async () => {
    const { refused, metrics } = start();
    for (let n = 0; n < 3_000; n += 1)
      refused.add({ reason: 'unknown', accountId: null, keyId: null }, `10.0.${n >> 8}.${n & 255}`);
    refused.add({ reason: 'expired', accountId: 'acc_1', keyId: 'key_1' }, '192.0.2.1');
    const { text } = await metrics.expose();
    expect(text).toContain('namewatch_refused_credentials_total{reason="unknown"} 3000');
    expect(text).toContain('namewatch_refused_credentials_total{reason="expired"} 1');
  });
});
