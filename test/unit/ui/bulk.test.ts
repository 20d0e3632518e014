import { describe, expect, it } from '@jest/globals';
import { bulkText, forEachEntry } from '../../../ui/src/screens/watchlist/for-each-entry.js';

const FAILURE = { title: 'Too many requests', detail: '', code: 'rate_limited', requestId: null };
const entries = Array.from({ length: 20 }, (_, n) => ({ domain: `name-${n}.test` }));

describe('an action on several names in the dashboard', () => {
  it('continues with the other names after a failure, and says which names failed', async () => {
    const outcome = await forEachEntry(entries, ({ domain }) => {
      if (domain === 'name-3.test') return Promise.reject(new Error('no answer'));
      const failure = { ...FAILURE, isRetryable: true, fields: [] };
      return Promise.resolve(domain === 'name-7.test' ? { ok: false, failure } : { ok: true, data: null });
    });
    expect(outcome.done).toBe(18);
    expect(outcome.failed.map(({ domain }) => domain).sort()).toEqual(['name-3.test', 'name-7.test']);
    expect(bulkText({ done: 1, failed: outcome.failed.slice(-1) }, 'paused')).toMatch(/^1 name is paused\. Not name-/);
    expect(bulkText({ done: 3, failed: [] }, 'paused')).toBe('3 names are paused');
  });

  it('sends at most four requests at the same time', async () => {
    let [now, most] = [0, 0];
    await forEachEntry(entries, async () => {
      most = Math.max(most, ++now);
      await Promise.resolve();
      now -= 1;
      return { ok: true, data: null };
    });
    expect(most).toBe(4);
  });
});
