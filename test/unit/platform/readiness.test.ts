import { describe, expect, it } from '@jest/globals';
import type { SqlClient } from '../../../src/platform/database/sql-client.js';
import type { Metrics } from '../../../src/platform/metrics/metrics.js';
import { Readiness } from '../../../src/platform/readiness.js';

const away = () => Promise.reject(new Error('away'));

function readinessOf(database: () => Promise<readonly object[]> = () => Promise.resolve([{}])): Readiness {
  return new Readiness({ run: database } as unknown as SqlClient, { gauge: () => undefined } as unknown as Metrics);
}

describe('the readiness report of a process', () => {
  it('is negative if a needed dependency is unavailable, and names that dependency', async () => {
    const readiness = readinessOf();
    readiness.add('queue', away);
    expect(await readiness.report()).toEqual({ ready: false, checks: { database: 'ok', queue: 'unavailable' } });
  });

  it('is positive if only an optional dependency is unavailable, and names that dependency', async () => {
    const readiness = readinessOf();
    readiness.add('queue', away, false);
    expect(await readiness.report()).toEqual({ ready: true, checks: { database: 'ok', queue: 'unavailable' } });
  });

  it('is negative if the database takes no writes', async () => {
    const readiness = readinessOf(() => Promise.resolve([]));
    expect(await readiness.report()).toEqual({ ready: false, checks: { database: 'unavailable' } });
  });
});
