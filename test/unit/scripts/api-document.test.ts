import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiDocument } from '../../support/documents/api-document.js';

const text = readFileSync(join(import.meta.dirname, '../../../api/openapi.json'), 'utf8');
const document = new ApiDocument(JSON.parse(text) as never);

describe('the committed API document', () => {
  it('takes less than 8 kB per operation', () => {
    const operations = Object.values(document.root.paths).flatMap((path) => Object.keys(path));
    expect(Buffer.byteLength(text) / operations.length).toBeLessThan(8_000);
  });

  it('lists its schemas in alphabetical order, without names that end in View', () => {
    const names = Object.keys(document.root.components.schemas);
    expect(names).toEqual([...names].sort());
    expect(names.filter((name) => name.endsWith('View'))).toEqual([]);
  });

  it('gives no example for filters, cursors and ids, because Swagger UI sends every example', () => {
    const prefilled = document.operations.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(({ schema, example }) => (example ?? schema['example']) !== undefined)
        .map(({ name }) => `${operationId} ${name}`),
    );
    expect(prefilled.sort()).toEqual([
      'changeManyEntries dry_run', // true: who presses Execute sees what would happen to all
      'checkDomain domain',
      'getProblem code',
      'listDomainVariants domain',
      'readCalendar file',
      'removeManyEntries dry_run',
      'streamEvents for_seconds',
    ]);
  });
});
