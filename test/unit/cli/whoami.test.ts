import { expect, it } from '@jest/globals';
import { toLines } from '../../../src/cli/commands/whoami.js';

const me: Parameters<typeof toLines>[0] = {
  account: { id: 'acc_1', name: 'Brand', plan: 'pro', created_at: '2026-11-23T09:00:00.000Z' },
  limits: {
    intervals: [60],
    default_interval: 60,
    entries: 100,
    channels: null,
    requests_per_minute: null,
    bulk: null,
    history_days: null,
  },
  use: { entries: 3, channels: 1 },
  key: null,
  person: null,
  accounts: null,
  can_open_accounts: false,
  identity: { authenticator: 'directory', subject: 'alice', name: 'Alice', scopes: ['domains:read'], expires_at: null },
};

it('`whoami` prints the identity and scopes of a caller whom an extension authenticated without an API key', () => {
  expect(toLines(me).slice(2)).toEqual([
    'Identity  alice (Alice) by directory, does not expire',
    'Scopes    domains:read',
    'Entries   3 of 100',
    'Channels  1',
    'Requests  no limit',
  ]);
});
