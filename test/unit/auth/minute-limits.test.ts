import { describe, expect, it } from '@jest/globals';
import { MinuteLimits } from '../../../src/auth/authentication/minute-limits.js';
import type { SqlClient } from '../../../src/platform/database/sql-client.js';
import { until } from '../../../src/testing.js';

describe('a limit of requests per minute', () => {
  it('admits requests again if its minute ends while the database answers', async () => {
    const answers = [
      { key: 'acc_0', used: 2, waitMs: 0 },
      { key: 'acc_0', used: 1, waitMs: 60_000 },
    ];
    const store = { run: () => Promise.resolve(answers.splice(0, 1)) } as unknown as SqlClient;
    const limits = new MinuteLimits(store);
    expect(await limits.admit('acc_0', 2)).toMatchObject({ isAdmitted: true, remaining: 0 });
    await until(() => limits.blockedMs('acc_0', 2) === 0);
    expect(await limits.admit('acc_0', 2)).toMatchObject({ isAdmitted: true, remaining: 1 });
  });
});
