import { describe, expect, it } from '@jest/globals';
import type { SqlClient } from '../../../src/platform/database/sql-client.js';
import type { Metrics } from '../../../src/platform/metrics/metrics.js';
import { Readiness } from '../../../src/platform/readiness.js';

const away = () => Promise.reject(new Error('away'));

function readinessOf(database: () => Promise<readonly object[]> = () => Promise.resolve([{}])): Readiness {
  return new Readiness({ run: database } as unknown as SqlClient, { gauge: () => undefined } as unknown as Metrics);
}

describe('readiness', () => {
  it('depends only on what the process needs', async () => {
    const readiness = readinessOf();
    readiness.add('queue', away);
    expect(await readiness.report()).toEqual({ ready: false, checks: { database: 'ok', queue: 'unavailable' } });
  });

  it('remains if the process can serve without a dependency, and names the missing one', async () => {
    const readiness = readinessOf();
    readiness.add('queue', away, false);
    expect(await readiness.report()).toEqual({ ready: true, checks: { database: 'ok', queue: 'unavailable' } });
  });

  it('is lost with a database that takes no writes', async () => {
    const readiness = readinessOf(() => Promise.resolve([]));
    expect(await readiness.report()).toEqual({ ready: false, checks: { database: 'unavailable' } });
  });
});
