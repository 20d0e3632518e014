import { isAscii } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { skipKey, skipValue } from './json-skipper.js';
import { type Json, MAX_JSON_DEPTH, type ParsedJson, parseJson } from './rdap-json.js';

/** All that is read of a record. */
const READ = new Set([
  ...['errorCode', 'objectClassName', 'ldhName', 'unicodeName', 'status', 'events', 'redacted', 'remarks'],
  ...['title', 'description', 'notices'],
]);
/** Of these it is only asked whether a record has them, with any content. */
const NOTED = new Set(['entities', 'nameservers', 'secureDNS']);
/** Escapes, and characters that are none of plain ASCII: line breaks too. */
const NOT_PLAIN = /[^ !"#-[\]-~]/;

/** They are the same in all records of a registry. Long ones are not kept. */
const knownNotices = new LRUCache<string, { readonly value: Json }>({ max: 200 });
const MAX_KNOWN_LENGTH = 8_192;

/**
 * Parses a record, as {@link parseJson} does, but creates only the members that are read: contacts, links and name
 * servers are most of it, and the most expensive part of a check. Text that is not plain is parsed as a whole.
 */
export function parseRecord(body: Buffer): ParsedJson {
  const value = isAscii(body) ? readMembers(body.toString('latin1')) : null;
  return value ? { value, flaw: null } : parseJson(body);
}

/** @returns null for anything but the plain text of one object */
export function readMembers(text: string): Record<string, Json> | null {
  if (!text.startsWith('{"') || NOT_PLAIN.test(text)) return null;
  const members: Record<string, Json> = {};
  for (let at = 1; ;) {
    const from = skipKey(text, at);
    const end = from < 0 ? -1 : skipValue(text, from, MAX_JSON_DEPTH - 1);
    if (end < 0) return null;
    const key = text.slice(at + 1, from - 2);
    if (READ.has(key)) members[key] = readValue(key, text.slice(from, end));
    else if (NOTED.has(key)) members[key] = noteValue(text.slice(from, end));
    if (text[end] === '}') return end + 1 === text.length ? members : null;
    if (text[end] !== ',') return null;
    at = end + 1;
  }
}

function readValue(key: string, text: string): Json {
  if (key !== 'notices' || text.length > MAX_KNOWN_LENGTH) return JSON.parse(text);
  const known = knownNotices.get(text);
  if (known) return known.value;
  const value: Json = JSON.parse(text);
  knownNotices.set(text, { value });
  return value;
}

function noteValue(text: string): Json {
  return text === 'null' || text === '[]' ? JSON.parse(text) : true;
}
