/** An unparsed record of a file; `line` is its first physical line, counted from 1. */
export type RawRecord = { readonly line: number } & ({ readonly text: string } | { readonly fault: string });

/** Longer than a line with every field at its limit and every character escaped. */
export const MAX_RECORD_BYTES = 32 * 1_024;
export const TOO_LONG = `A line may have at most ${MAX_RECORD_BYTES / 1_024} KiB.`;

export const LF = 0x0a;
const CR = 0x0d;

/** The text from `start` to `end`, without the carriage return of a CRLF. */
export function decodeText(file: Buffer, start: number, end: number): string {
  const last = end > start && file[end - 1] === CR ? end - 1 : end;
  return file.toString('utf8', start, last);
}

/** The end of the line at `start`: its line feed, or the end of the file. */
export function findLineEnd(file: Buffer, start: number): number {
  const end = file.indexOf(LF, start);
  return end < 0 ? file.length : end;
}
