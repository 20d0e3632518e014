import type { ErrorObject } from 'ajv';
import { readFileSync } from 'node:fs';

/** The first value of a file that its schema does not allow. */
export interface SchemaViolation {
  readonly path: readonly (string | number)[];
  /** Whether the last key of the path is wrong, not its value. */
  readonly isKey: boolean;
  readonly message: string;
}

export async function findViolation(content: unknown): Promise<SchemaViolation | null> {
  const { Ajv } = await import('ajv');
  const schema = JSON.parse(readFileSync(new URL('watchlist-file.schema.json', import.meta.url), 'utf8')) as object;
  const validate = new Ajv().compile(schema);
  const [error] = validate(content) ? [] : (validate.errors ?? []);
  return error ? toViolation(error) : null;
}

function toViolation({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): SchemaViolation {
  const path = instancePath.split('/').slice(1).map(toSegment);
  const { additionalProperty, allowedValues, allowedValue } = params as Readonly<Record<string, unknown>>;
  if (keyword === 'additionalProperties' && typeof additionalProperty === 'string')
    return { path: [...path, additionalProperty], isKey: true, message: `unknown key "${additionalProperty}"` };
  const allowed = allowedValues ?? allowedValue;
  const values = allowed === undefined ? '' : `: ${[allowed].flat().map(String).join(', ')}`;
  return { path, isKey: false, message: `${describe(path)} ${message}${values}` };
}

/** A JSON pointer's; indexes of arrays are numbers. */
function toSegment(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** `names[3].note` */
function describe(path: SchemaViolation['path']): string {
  const text = path.map((one) => (typeof one === 'number' ? `[${one}]` : `.${one}`)).join('');
  return text === '' ? 'the file' : text.replace(/^\./, '');
}
