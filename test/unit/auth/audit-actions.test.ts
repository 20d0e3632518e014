import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEntry } from '../../../src/auth/index.js';
import {
  AUDIT_ACTION_NAMES,
  AUDIT_ACTIONS,
  isAuditActionFilter,
  toExtensionAction,
} from '../../../src/auth/domain/audit-actions.js';
import { tableRows } from '../../support/documents/markdown.js';

const target = { accountId: null, targetId: null };

describe('the catalogue of audit actions', () => {
  it('has all actions that code can record; the compiler refuses any other', () => {
    const known: AuditEntry = { action: 'key.issued', ...target };
    // @ts-expect-error no action of the catalogue
    const misspelt: AuditEntry = { action: 'key.isued', ...target };
    // @ts-expect-error no text that nobody has checked
    const unchecked: AuditEntry = { action: String('ledger.closed'), ...target };
    expect([known, misspelt, unchecked]).toHaveLength(3);
  });

  it('is documented in docs/audit.md, each action with the kind of its target', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/audit.md'), 'utf8');
    const documented = tableRows(page).flatMap(([actions = '', kind = '']) =>
      [...actions.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, action]) => [action, kind === '–' ? null : kind] as const),
    );
    expect(documented.map(([action]) => action).sort()).toEqual(Object.keys(AUDIT_ACTIONS).sort());
    expect(Object.fromEntries(documented)).toEqual(AUDIT_ACTIONS);
  });

  it.each(['key.issued', 'key.*', 'plans.*', 'ledger.closed', 'sso-and-billing.*'])(
    'accepts this action filter: %s',
    (text) => {
      expect(isAuditActionFilter(text)).toBe(true);
    },
  );

  it.each(['key.isued', 'keys', 'key.', 'key.i*', '*', 'Ledger.closed', 'ledger.closed.twice', '', null, 7])(
    'refuses this action filter: %j',
    (text) => {
      expect(isAuditActionFilter(text)).toBe(false);
    },
  );

  it('refuses an extension’s action that looks like one of Namewatch', () => {
    expect(toExtensionAction('ledger', 'ledger.closed')).toBe('ledger.closed');
    for (const action of AUDIT_ACTION_NAMES) expect(toExtensionAction(action.split('.')[0] ?? '', action)).toBeNull();
    expect(toExtensionAction('ledger', 'watchlist.removed')).toBeNull();
  });
});
