import { findLineEnd, type RawRecord, LF, MAX_RECORD_BYTES, decodeText, TOO_LONG } from './raw-record.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const UNCLOSED_QUOTE = 'A quoted cell is not closed.';

/**
 * Splits a CSV file (RFC 4180) into records, without parsing them: one per line, except for line feeds inside quoted
 * cells. An unclosed quote invalidates its own line only; reading resumes at the next line. Blank lines are skipped.
 */
export function* splitCsvRecords(file: Buffer): Generator<RawRecord, void, void> {
  let line = 1;
  for (let start = 0; start < file.length;) {
    const { end, fault, lines } = scanRecord(file, start);
    if (fault !== null) yield { line, fault };
    else {
      const text = decodeText(file, start, end);
      if (text.trim() !== '') yield { line, text };
    }
    line += lines;
    start = end + 1;
  }
}

interface RecordExtent {
  /** Index after its last byte. */
  readonly end: number;
  /** Number of physical lines. */
  readonly lines: number;
  readonly fault: string | null;
}

function scanRecord(file: Buffer, start: number): RecordExtent {
  let isQuoted = false;
  let isCellStart = true;
  let lines = 1;
  for (let at = start; at < file.length; at += 1) {
    if (at - start >= MAX_RECORD_BYTES) return faultyLine(file, start, isQuoted ? UNCLOSED_QUOTE : TOO_LONG);
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
  return isQuoted ? faultyLine(file, start, UNCLOSED_QUOTE) : { end: file.length, lines, fault: null };
}

function faultyLine(file: Buffer, start: number, fault: string): RecordExtent {
  return { end: findLineEnd(file, start), lines: 1, fault };
}
