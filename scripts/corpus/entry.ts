import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DomainName } from '../../src/domains/domain/domain-name.js';

/** A verdict as the index spells them; `unknown` is an answer that makes no status. */
export type Verdict = 'available' | 'registered' | 'pending_delete' | 'reserved' | 'unknown';

/** One line of an index, as far as it is used here. */
export interface Entry {
  readonly id: string;
  readonly kind: 'whois' | 'rdap';
  readonly tld: string | null;
  readonly zone?: string | null;
  readonly tld_group?: string | null;
  readonly domain: string | null;
  readonly file: string;
  readonly http_status: number | null;
  readonly tld_holdout_only?: boolean;
  /** null in a set that nobody has judged. */
  readonly expect: {
    readonly accept: readonly Verdict[];
    readonly expires_at: string | null;
    readonly expires_stated: string;
    readonly expires_precision: string | null;
  } | null;
}

export function entriesOf(folder: string): Entry[] {
  const lines = readFileSync(join(folder, 'index.jsonl'), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Entry);
}

/** The name that was asked for; where the index does not know it, the one that the answer is about. */
export function nameAsked(entry: Entry, text: string): DomainName {
  const zone = entry.zone ?? entry.tld ?? 'com';
  const told = entry.domain?.includes('.') ? entry.domain : entry.domain && `${entry.domain}.${zone}`;
  return (
    [told, nameIn(text, zone), `example.${zone}`].map(parsed).find((name) => name !== null) ??
    DomainName.restore(`example.${zone}`)
  );
}

function parsed(text: string | null | undefined): DomainName | null {
  try {
    return text ? DomainName.parse(text, { standingOf: () => ({ kind: 'registrable' }) }) : null;
  } catch {
    return null; // What was asked for was no name: the placeholder stands in, and the answer cannot be about it.
  }
}

/** The name of a labelled line, else the first name below the zone that is not the registry's own host. */
function nameIn(text: string, zone: string): string | undefined {
  const labelled =
    /^.{0,12}\bdom(?:ain|inio|aine)\b[^:\]\n]{0,25}[:\]]+[\s.]*"?([\p{L}\d-]+(?:\.[\p{L}\d-]+)+)/imu.exec(text)?.[1];
  if (labelled?.toLowerCase().endsWith(`.${zone.split('.').at(-1)}`)) return labelled;
  const below = new RegExp(
    `(?<![\\p{L}\\d.@/-])[\\p{L}\\d-]+\\.${zone.replaceAll('.', '\\.')}(?![\\p{L}\\d-]|\\.\\p{L})`,
    'giu',
  );
  const names = text.match(below) ?? [];
  return (
    names.find((name) => !/^(?:whois|www|nic|registry)\d*\./i.test(name)) ?? names.find((name) => /^nic\./i.test(name))
  );
}
