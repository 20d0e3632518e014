import { DEPTH_LIMIT, isTooDeep } from '../../platform/http/validation/json-depth.js';
import { findLineEnd, MAX_RECORD_BYTES, decodeText, TOO_LONG } from './raw-record.js';
import { type ParsedRow, READ_ONLY_COLUMNS } from './parsed-row.js';

const IGNORED_FIELDS: ReadonlySet<string> = new Set(READ_ONLY_COLUMNS);

/** One JSON object per line. Blank lines are skipped; null counts as omitted, as in an export. */
export function* parseNdjson(file: Buffer): Generator<ParsedRow, void, void> {
  let line = 1;
  for (let start = 0; start < file.length; line += 1) {
    const end = findLineEnd(file, start);
    if (end - start > MAX_RECORD_BYTES) yield { line, fault: TOO_LONG };
    else {
      const text = decodeText(file, start, end);
      if (text.trim() !== '') yield { line, ...parseLine(text) };
    }
    start = end + 1;
  }
}

function parseLine(text: string): { fields: Record<string, unknown> } | { fault: string } {
  if (isTooDeep(text)) return { fault: `The line is nested deeper than ${DEPTH_LIMIT} levels.` };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { fault: 'The line must be a JSON object.' };
    const fields = Object.entries(value).filter(([name, field]) => field !== null && !IGNORED_FIELDS.has(name));
    return { fields: Object.fromEntries(fields) };
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: 'The line is not valid JSON.' };
    throw error;
  }
}
