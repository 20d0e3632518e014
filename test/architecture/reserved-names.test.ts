import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { AUDIT_ACTION_NAMES } from '../../src/auth/domain/audit-actions.js';
import { SCOPES } from '../../src/auth/domain/scope.js';
import { SETTINGS } from '../../src/config/settings.js';
import { EVIDENCE_SOURCES } from '../../src/domains/domain/lookup/lookup-result.js';
import { EVENT_FILTERS } from '../../src/extensions/event-subscriber.js';
import { beginsWithReservedWord } from '../../src/extensions/reserved-names.js';
import { PROBLEMS } from '../../src/platform/http/errors/problem-catalogue.js';

const tablesOf = (sql: string) =>
  [...sql.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, table = '']) => table);
const NAMES = {
  scopes: SCOPES,
  'problem codes': Object.keys(PROBLEMS),
  settings: Object.values(SETTINGS).map(({ name }) => name),
  'audited actions': AUDIT_ACTION_NAMES,
  'event types': EVENT_FILTERS,
  sources: EVIDENCE_SOURCES,
  'channel types': ['email', 'webhook'],
  tables: tablesOf(readFileSync('src/migrations/baseline.sql', 'utf8')),
};

it.each(Object.entries(NAMES))(
  'the service’s own names begin with words that extensions may not use: %s',
  (_, names) => {
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name) => !beginsWithReservedWord(name))).toEqual([]);
  },
);

it('names such as ledger:read, chosen by an extension, do not begin with reserved words', () => {
  expect(['ledger:read', 'ledger_entries', 'LEDGER_URL', 'acme.pager'].filter(beginsWithReservedWord)).toEqual([]);
});
