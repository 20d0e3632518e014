import { endOfLine, type FramedRecord, LF, RECORD_LIMIT, textOf, TOO_LONG } from './framed-record.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const UNCLOSED = 'A quoted cell does not end.';

/**
 * The records of a CSV file (RFC 4180), unread: one a line, but for line feeds inside quoted cells. A quote that never
 * ends spoils its own line only; the next line is read as if it had not been there. Blank lines are none.
 */
export function* csvRecords(file: Buffer): Generator<FramedRecord, void, void> {
  let line = 1;
  for (let start = 0; start < file.length;) {
    const { end, fault, lines } = recordAt(file, start);
    if (fault !== null) yield { line, fault };
    else {
      const text = textOf(file, start, end);
      if (text.trim() !== '') yield { line, text };
    }
    line += lines;
    start = end + 1;
  }
}

interface Extent {
  /** Behind its last byte. */
  readonly end: number;
  /** Physical ones. */
  readonly lines: number;
  readonly fault: string | null;
}

function recordAt(file: Buffer, start: number): Extent {
  let isQuoted = false;
  let isCellStart = true;
  let lines = 1;
  for (let at = start; at < file.length; at += 1) {
    if (at - start >= RECORD_LIMIT) return spoilt(file, start, isQuoted ? UNCLOSED : TOO_LONG);
    const byte = file[at];
    if (isQuoted) {
      if (byte === LF) lines += 1;
      if (byte === QUOTE && file[at + 1] === QUOTE) at += 1;
      else if (byte === QUOTE) isQuoted = false;
    } else if (byte === LF) return { end: at, lines, fault: null };
    else {
      isQuoted = byte === QUOTE && isCellStart;
      isCellStart = byte === COMMA;
    }
  }
  return isQuoted ? spoilt(file, start, UNCLOSED) : { end: file.length, lines, fault: null };
}

function spoilt(file: Buffer, start: number, fault: string): Extent {
  return { end: endOfLine(file, start), lines: 1, fault };
}
