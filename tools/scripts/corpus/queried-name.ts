import { parse } from 'tldts';
import { DomainName } from '../../../src/domains/domain/name/domain-name.js';
import { classifyField, parseFields } from '../../../src/domains/whois/whois-fields.js';
import { parseLines } from '../../../src/domains/whois/whois-text.js';
import type { Entry } from './entry.js';

/** Returns the queried name. If the index does not contain it, returns the name that the answer is about. */
export function queriedName(entry: Entry, text: string): DomainName {
  const zone = entry.zone ?? entry.tld ?? 'com';
  const declared = entry.domain?.includes('.') ? entry.domain : entry.domain && `${entry.domain}.${zone}`;
  return (
    [declared, findName(text, zone), `example.${zone}`].map(tryParse).find((name) => name !== null) ??
    DomainName.restore(`example.${zone}`)
  );
}

function tryParse(text: string | null | undefined): DomainName | null {
  try {
    return text ? DomainName.parse(text, { classify: () => ({ kind: 'registrable' }) }) : null;
  } catch {
    return null; // not a valid name, so the placeholder is used; the answer cannot be about that
  }
}

/**
 * Finds the name in a labelled line, or else the quoted name, or else the first name. Public suffixes and the
 * registry's own names come last.
 */
function findName(text: string, zone: string): string | undefined {
  const fields = parseFields(parseLines(text)).filter((field) => classifyField(field) === 'domain');
  const quoted = /["'“]([\p{L}\d-]+(?:\.[\p{L}\d-]+)+)["'”]/u.exec(text)?.[1] ?? '';
  const labelled = [...fields.map(({ value }) => firstWord(value)), quoted].filter((name) => isBelow(name, zone));
  const named = text.match(namesBelow(zone)) ?? [];
  const ofOthers = named.filter((name) => !/^(?:whois|www|nic|registry)\d*\./i.test(name));
  return [...labelled, ...ofOthers].find(isRegistrable) ?? ofOthers[0] ?? named.find((name) => /^nic\./i.test(name));
}

function isRegistrable(name: string): boolean {
  return parse(name.toLowerCase()).domain !== null;
}

function namesBelow(zone: string): RegExp {
  const suffix = zone.replaceAll('.', '\\.');
  return new RegExp(`(?<![\\p{L}\\d.@/-])[\\p{L}\\d-]+\\.${suffix}(?![\\p{L}\\d-]|\\.\\p{L})`, 'giu');
}

function isBelow(name: string, zone: string): boolean {
  return name.toLowerCase().endsWith(`.${zone.split('.').at(-1)}`);
}

function firstWord(value: string): string {
  return (/^[^\s(,;]+/.exec(value)?.[0] ?? '').replace(/["'.]+$/, '');
}
