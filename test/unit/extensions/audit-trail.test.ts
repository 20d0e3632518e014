import { describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '../../../src/auth/index.js';
import { auditTrailOf } from '../../../src/extensions/audit-trail.js';
import { defineExtension } from '../../../src/extensions/extension.js';
import { Extensions } from '../../../src/extensions/extensions.js';

function trailOf(extension: string) {
  const recorded: AuditEntry[] = [];
  const ours = { record: (entry: AuditEntry) => Promise.resolve(void recorded.push(entry)) };
  const extensions = Extensions.from([defineExtension({ name: extension, compatibility: '*' })]);
  const trail = auditTrailOf(extensions).useFactory({ get: () => ours });
  return { recorded, record: async (action: string) => (await trail).record({ action, accountId: null }) };
}

describe('the audit trail of an extension', () => {
  it('accepts actions that begin with the name of the extension', async () => {
    const { recorded, record } = trailOf('sso-and-billing');
    await record('sso-and-billing.plan_changed');
    expect(recorded).toEqual([{ action: 'sso-and-billing.plan_changed', accountId: null, targetId: null }]);
  });

  it.each([
    'closed',
    'key.issued',
    'ledger.',
    'ledger.closed.twice',
    'ledger.Closed',
    'ledger.\u202eclosed',
    'ledgers.closed',
  ])('refuses the action %j of the extension "ledger"', async (action) => {
    const { recorded, record } = trailOf('ledger');
    await expect(record(action)).rejects.toThrow(`no extension can record ${JSON.stringify(action)}`);
    expect(recorded).toEqual([]);
  });
});
