import { parse } from 'csv-parse';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** Not such a list; nothing of it is used. The message says what is wrong. */
export class DropListInvalid extends Error {}

/** A row of a list, with the instant from which the registry deletes the name. */
export interface DropListRow {
  readonly domain: string;
  readonly dropAt: Date;
}

/** Nominet's whole schedule is 12 MB. */
const MAX_INFLATED_BYTES = 128 * 1_024 * 1_024;
const MAX_ROW_BYTES = 2_000;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The rows of a CSV file with a header, by their columns: gzipped or not, without holding all of it. */
export async function* readCsv(body: Buffer, columns: readonly string[]): AsyncGenerator<Record<string, string>> {
  const parser = parse({
    bom: true,
    trim: true,
    columns: (header: string[]) => checkColumns(header, columns),
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
  });
  // An error of either reaches the loop.
  const rows = pipeline(inflated(body), parser, () => undefined);
  try {
    for await (const row of rows) yield row as Record<string, string>;
  } catch (cause) {
    if (cause instanceof DropListInvalid) throw cause;
    throw new DropListInvalid(`not such a CSV file: ${(cause as Error).message}`, { cause });
  }
}

/** A small document in memory. */
export async function readText(body: Buffer): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of inflated(body)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Inflates gzip in pieces, so that a small file cannot fill the memory. */
function inflated(body: Buffer): Readable {
  if (!body.subarray(0, 2).equals(GZIP_MAGIC)) return Readable.from([body]);
  return Readable.from(gunzip(body));
}

async function* gunzip(body: Buffer): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of Readable.from([body]).pipe(createGunzip())) {
      size += (chunk as Buffer).length;
      if (size > MAX_INFLATED_BYTES) throw new DropListInvalid(`more than ${MAX_INFLATED_BYTES} bytes when inflated`);
      yield chunk as Buffer;
    }
  } catch (cause) {
    if (cause instanceof DropListInvalid) throw cause;
    throw new DropListInvalid(`the gzip file is not whole: ${(cause as Error).message}`, { cause });
  }
}

function checkColumns(header: string[], needed: readonly string[]): string[] {
  const found = header.map((name) => name.toLowerCase().replace(/[\s_]+/g, '_'));
  const missing = needed.filter((name) => !found.includes(name));
  if (missing.length > 0) throw new DropListInvalid(`without the column ${missing.join(', ')}`);
  return found;
}
