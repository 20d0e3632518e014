import { describe, expect, it } from '@jest/globals';
import { worstFirst } from '../../../ui/src/screens/registries/registry-state.js';

const NOW = new Date('2026-11-22T12:00:00Z');
const registry = (operator: string, state: 'closed' | 'open' = 'closed') => ({
  operator,
  breaker: { state, since: null, retry_at: null },
  blocked_until: null,
});

describe('the dashboard’s list of registries', () => {
  it('begins with registries that give no answers, and ends with those that work', () => {
    const uses = [
      { operator: 'fine', entries: 3, failing: 0 },
      { operator: 'dead', entries: 2, failing: 2 },
      { operator: 'weak', entries: 5, failing: 1 },
    ];
    const rows = worstFirst(
      [registry('fine'), registry('weak'), registry('dead'), registry('asleep', 'open')],
      uses,
      NOW,
    );
    expect(rows.map(({ registry: { operator }, state: { label, tone } }) => [operator, label, tone])).toEqual([
      ['dead', 'No answers', 'bad'],
      ['asleep', 'Not asked', 'bad'],
      ['weak', 'Some fail', 'warn'],
      ['fine', 'OK', 'good'],
    ]);
    expect(rows[0]?.state.text).toBe('2 of your 2 names get no answer.');
  });
});
