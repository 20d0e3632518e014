import { isUtf8 } from 'node:buffer';
import { DomainError } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { StrictValidationPipe } from '../../platform/http/validation/strict-validation.pipe.js';
import type { ParsedLine } from './validated-lines.js';
import { ImportedRow, toEntrySettings } from '../entries/entry-settings.dto.js';
import { parseCsv } from './csv-rows.js';
import { LF } from './raw-record.js';
import { parseNdjson } from './ndjson-rows.js';
import type { ParsedRow } from './parsed-row.js';

export const CSV = 'text/csv';
export const NDJSON = 'application/x-ndjson';

/** Without the header line of a CSV. */
const MAX_LINES = 100_000;
/** Yields to the event loop after so many lines, so that other requests and database replies are handled. */
const YIELD_EVERY_LINES = 25;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const validation = new StrictValidationPipe();
const ROW_METADATA = { type: 'body', metatype: ImportedRow } as const;

/**
 * Validates each line like the body of a new entry.
 * @throws InvalidRequest or payload_too_large for the file as a whole, before any line is yielded
 */
export async function* readImportLines(file: Buffer, mediaType: string): AsyncGenerator<ParsedLine, void, void> {
  if (!isUtf8(file)) throw InvalidRequest.malformed('The file is not valid UTF-8.');
  const content = file.subarray(0, 3).equals(BYTE_ORDER_MARK) ? file.subarray(3) : file;
  rejectTooManyLines(content, mediaType);
  const rows = mediaType === CSV ? parseCsv(content) : parseNdjson(content);
  let read = 0;
  for (const row of rows) {
    yield await validateRow(row);
    if ((read += 1) % YIELD_EVERY_LINES === 0) await new Promise(setImmediate);
  }
  if (read === 0 && mediaType === NDJSON) throw InvalidRequest.malformed('The file is empty.');
}

function rejectTooManyLines(content: Buffer, mediaType: string): void {
  let lines = content.length === 0 || content.at(-1) === LF ? 0 : 1;
  for (let at = content.indexOf(LF); at >= 0; at = content.indexOf(LF, at + 1)) lines += 1;
  if (lines - (mediaType === CSV ? 1 : 0) > MAX_LINES)
    throw new DomainError('payload_too_large', `A file may have at most ${MAX_LINES} lines.`);
}

async function validateRow(row: ParsedRow): Promise<ParsedLine> {
  const { line } = row;
  if ('fault' in row) return { line, domain: null, refusal: InvalidRequest.malformed(row.fault) };
  const domain = readDomain(row.fields);
  try {
    const body = (await validation.transform(row.fields, ROW_METADATA)) as ImportedRow;
    return { line, domain: body.domain, settings: toEntrySettings(body) };
  } catch (error) {
    if (error instanceof InvalidRequest) return { line, domain, refusal: error };
    throw error;
  }
}

function readDomain({ domain }: Readonly<Record<string, unknown>>): string | null {
  return typeof domain === 'string' ? domain.slice(0, 253) : null;
}
