import { parse } from 'csv-parse';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { domainToASCII } from 'node:url';
import { after, DAY, HOUR, MINUTE } from '../../kernel/clock.js';
import { DROP_LIST_RULES, type DropListId, type DropListing } from '../domain/deletion/expiry-forecast.js';
import { isTooDeep } from '../../platform/http/validation/json-depth.js';

/** The document is not a valid list, so none of its rows is used. The message says what is wrong. */
export class DropListInvalid extends Error {}

/** A row of a list. The registry deletes the name at `dropAt` or later. */
export interface DropListRow {
  readonly domain: string;
  readonly dropAt: Date;
}

/** The largest size of an inflated list: ten times the size of Nominet's list, which has 12 MB. */
const MAX_INFLATED_BYTES = 128 * 1_024 * 1_024;
const MAX_ROW_BYTES = 2_000;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Reads a CSV file with a header, gzipped or not, row by row. */
async function* readCsv(body: Buffer, columns: readonly string[]): AsyncGenerator<Record<string, string>> {
  const parser = parse({
    bom: true,
    trim: true,
    columns: (header: string[]) => checkColumns(header, columns),
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
  });
  // The callback ignores errors of the stream and the parser, because the loop below throws them.
  const rows = pipeline(inflated(body), parser, () => undefined);
  try {
    for await (const row of rows) yield row as Record<string, string>;
  } catch (cause) {
    if (cause instanceof DropListInvalid) throw cause;
    throw new DropListInvalid(`not such a CSV file: ${(cause as Error).message}`, { cause });
  }
}

async function readText(body: Buffer): Promise<string> {
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

/** Ten times the rows of Nominet's list, which has some 270 000 names. */
const MAX_ROWS = 3_000_000;
/** A date further ahead must be a mistake: Nominet's list covers 65 days, Internetstiftelsen's lists some months. */
const MAX_DAYS_AHEAD = 400;
const ASCII_DOMAIN = /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/**
 * Yields the rows with a future date. An impossible row makes the whole list invalid, since other rows may be wrong.
 * @throws DropListInvalid also after the last row, if all rows are in the past (the list is outdated)
 */
export async function* checkRows(
  rows: AsyncIterable<DropListRow>,
  list: DropListId,
  now: Date,
): AsyncGenerator<DropListing> {
  const [ending, furthest] = [`.${DROP_LIST_RULES[list].tld}`, after(now, MAX_DAYS_AHEAD * DAY)];
  let [count, upcoming] = [0, 0];
  for await (const { domain: text, dropAt } of rows) {
    count += 1;
    if (count > MAX_ROWS) throw new DropListInvalid(`more than ${MAX_ROWS} rows`);
    const domain = toAscii(text);
    if (!ASCII_DOMAIN.test(domain) || !domain.endsWith(ending))
      throw new DropListInvalid(`row ${count} has no name that ends with ${ending}`);
    if (!(dropAt <= furthest)) throw new DropListInvalid(`row ${count} has no date that can be true`);
    if (dropAt <= now) continue;
    upcoming += 1;
    yield { domain, list, dropAt };
  }
  if (upcoming === 0) throw new DropListInvalid(`all of its ${count} names were due in the past`);
}

function toAscii(text: string): string {
  const name = text.toLowerCase().replace(/\.$/, '');
  return ASCII_DOMAIN.test(name) ? name : domainToASCII(name);
}

/**
 * Reads Nominet's list of .uk, with times in UTC. Sources: registrars.nominet.uk/drop-lists; public programs, which
 * read the columns `roid,domain,drop_time` (2026-10).
 */
export async function* readNominetDropList(body: Buffer): AsyncGenerator<DropListRow> {
  for await (const { domain = '', drop_time: time = '' } of readCsv(body, ['domain', 'drop_time']))
    yield { domain, dropAt: new Date(hasZone(time) ? time : `${time.replace(' ', 'T')}Z`) };
}

function hasZone(time: string): boolean {
  return /(?:Z|[+-]\d\d:?\d\d)$/i.test(time);
}

/** Names are released from 04:00 UTC on the listed date (internetstiftelsen.se). */
const FIRST_RELEASE = 'T04:00:00Z';

/** Reads the lists of .se and .nu: `{"data": [{"name": "example.se", "release_at": "2026-12-01"}]}`. */
export async function* readInternetstiftelsenDropList(body: Buffer): AsyncGenerator<DropListRow> {
  const { data } = parseObject(await readText(body));
  if (!Array.isArray(data)) throw new DropListInvalid('without a list in "data"');
  for (const row of data as readonly unknown[]) {
    const { name, release_at: date } = (row ?? {}) as { name?: unknown; release_at?: unknown };
    if (typeof name !== 'string' || typeof date !== 'string') throw new DropListInvalid('a row without name or date');
    yield { domain: name, dropAt: new Date(`${date}${FIRST_RELEASE}`) };
  }
}

function parseObject(text: string): { data?: unknown } {
  if (isTooDeep(text)) throw new DropListInvalid('nested too deep');
  try {
    return Object(JSON.parse(text)) as { data?: unknown };
  } catch (cause) {
    throw new DropListInvalid(`not JSON, or not whole: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Milliseconds from midnight UTC to auDA's daily deletion: 13:00 AEST (UTC+10) for `au_deleted`, 13:30 for
 * `au_expired`.
 */
export const DELETED_CYCLE_MS = 3 * HOUR;
export const EXPIRED_CYCLE_MS = DELETED_CYCLE_MS + 30 * MINUTE;

/**
 * Reads auDA's lists of .au. auDA deletes a name in the first daily cycle after the listed time (UTC). Source:
 * auda.org.au, "Official Domain Name Drop List", where dates look like 16/12/2021.
 */
export async function* readAudaDropList(body: Buffer, cycleMs: number): AsyncGenerator<DropListRow> {
  const columns = ['date', 'eligible_purge_time', 'domain_name'];
  for await (const { date = '', eligible_purge_time: time = '', domain_name: domain = '' } of readCsv(body, columns))
    yield { domain, dropAt: nextCycle(new Date(`${toIsoDate(date)}T${time}Z`), cycleMs) };
}

function toIsoDate(date: string): string {
  const [, day, month, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(date) ?? [];
  return year === undefined ? date : `${year}-${month}-${day}`;
}

/** A name that becomes eligible at the very time of a daily cycle waits for the next cycle. */
function nextCycle(eligibleAt: Date, cycleMs: number): Date {
  const midnight = Math.floor(eligibleAt.getTime() / DAY) * DAY;
  const cycle = new Date(midnight + cycleMs);
  return eligibleAt < cycle ? cycle : after(cycle, DAY);
}
