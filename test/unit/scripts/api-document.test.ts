import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiDocument } from '../../support/documents/api-document.js';

const text = readFileSync(join(import.meta.dirname, '../../../api/openapi.json'), 'utf8');
const document = new ApiDocument(JSON.parse(text) as never);

describe('The committed API document', () => {
  it('takes half of the space that all refusals, spelled out for each operation, would take: 16 kB', () => {
    const operations = Object.values(document.root.paths).flatMap((path) => Object.keys(path));
    expect(Buffer.byteLength(text) / operations.length).toBeLessThan(8_000);
  });

  it('has its schemas in alphabetical order, and none with the name of a class', () => {
    const names = Object.keys(document.root.components.schemas);
    expect(names).toEqual([...names].sort());
    expect(names.filter((name) => name.endsWith('View'))).toEqual([]);
  });

  it('pre-fills no filter, no cursor and no id in Swagger UI, which sends every example', () => {
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
