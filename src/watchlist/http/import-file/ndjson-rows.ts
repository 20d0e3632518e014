import { DEPTH_LIMIT, isTooDeep } from '../../../platform/http/validation/json-depth.js';
import { endOfLine, RECORD_LIMIT, textOf, TOO_LONG } from './framed-record.js';
import { type ReadRow, TOLD_COLUMNS } from './read-row.js';

const IGNORED: ReadonlySet<string> = new Set(TOLD_COLUMNS);

/** The rows of a file with a JSON object on each line. Blank lines are none; null says nothing, as in an export. */
export function* ndjsonRows(file: Buffer): Generator<ReadRow, void, void> {
  let line = 1;
  for (let start = 0; start < file.length; line += 1) {
    const end = endOfLine(file, start);
    if (end - start > RECORD_LIMIT) yield { line, fault: TOO_LONG };
    else {
      const text = textOf(file, start, end);
      if (text.trim() !== '') yield { line, ...read(text) };
    }
    start = end + 1;
  }
}

function read(text: string): { fields: Record<string, unknown> } | { fault: string } {
  if (isTooDeep(text)) return { fault: `The line is nested deeper than ${DEPTH_LIMIT} levels.` };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { fault: 'The line must be a JSON object.' };
    const told = Object.entries(value).filter(([name, field]) => field !== null && !IGNORED.has(name));
    return { fields: Object.fromEntries(told) };
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: 'The line is not valid JSON.' };
    throw error;
  }
}
