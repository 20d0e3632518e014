import { describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from '../../../tools/compose.js';
import { composeFile, type ComposeFile } from './compose-file.js';

const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(modern(composeSchema) as object);

/** The objections of the Compose Specification's schema to the file. */
function schemaProblems(file: unknown): string[] {
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The schema still writes draft 4's `id`, and its draft by an address that no validator knows; neither is used. */
function modern(part: unknown): unknown {
  if (Array.isArray(part)) return (part as unknown[]).map(modern);
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(
    ([key, value]) => !(/^(id|\$schema)$/.test(key) && typeof value === 'string'),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, modern(value)]));
}

describe('the schema of the Compose Specification', () => {
  it('accepts docker-compose.yml', () => {
    expect(schemaProblems(composeFile())).toEqual([]);
  });

  it.each([
    ['an unknown key', (file: ComposeFile) => Object.assign(file.services['api'] ?? {}, { replicas: 2 })],
    ['ports that are not a list', (file: ComposeFile) => Object.assign(file.services['api'] ?? {}, { ports: '3000' })],
    ['a service that is not an object', (file: ComposeFile) => Object.assign(file.services, { api: 'namewatch' })],
  ])('refuses docker-compose.yml with %s', (_what, change) => {
    const file = composeFile();
    change(file);
    expect(schemaProblems(file)).not.toEqual([]);
  });
});
