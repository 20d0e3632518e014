import { isAscii } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { skipKey, skipValue } from './json-skipper.js';
import { type Json, MAX_JSON_DEPTH, MAX_MEMBERS, type ParsedJson, parseJson } from './rdap-json.js';

/** All that is read of a record. */
const READ = new Set([
  ...['errorCode', 'objectClassName', 'ldhName', 'unicodeName', 'status', 'events', 'redacted', 'remarks'],
  ...['title', 'description', 'notices'],
]);
/** Of their members, these are created. No status depends on them, only on whether the list is there. */
const PARTLY_READ: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['entities', new Set(['roles', 'publicIds', 'vcardArray'])],
  ['nameservers', new Set(['ldhName', 'unicodeName'])],
  ['secureDNS', new Set(['delegationSigned', 'dsData'])],
]);
/** Escapes, and characters that are none of plain ASCII: line breaks too. */
const NOT_PLAIN = /[^ !"#-[\]-~]/;

/** They are the same in all records of a registry. Long ones are not kept. */
const knownNotices = new LRUCache<string, { readonly value: Json }>({ max: 200 });
const MAX_KNOWN_LENGTH = 8_192;

/**
 * Parses a record, as {@link parseJson} does, but creates only the members that are read: contacts, links and
 * addresses are most of it, and the most expensive part of a check. Text that is not plain is parsed as a whole.
 */
export function parseRecord(body: Buffer): ParsedJson {
  const value = isAscii(body) ? readMembers(body.toString('latin1')) : null;
  return value ? { value, flaw: null } : parseJson(body);
}

/** @returns null for anything but the plain text of one object */
export function readMembers(text: string): Record<string, Json> | null {
  if (!text.startsWith('{"') || NOT_PLAIN.test(text)) return null;
  const members: Record<string, Json> = {};
  const end = walkMembers(text, 0, (key, from, to) => {
    if (READ.has(key)) members[key] = readValue(key, text.slice(from, to));
    const parts = PARTLY_READ.get(key);
    if (parts) members[key] = readParts(text, from, to, parts);
  });
  return end === text.length ? members : null;
}

type Visit = (key: string, from: number, to: number) => void;

/** @returns the index behind the object, which has members; -1 where it is malformed */
function walkMembers(text: string, start: number, visit: Visit): number {
  for (let at = start + 1; ;) {
    const from = skipKey(text, at);
    const end = from < 0 ? -1 : skipValue(text, from, MAX_JSON_DEPTH - 1);
    if (end < 0) return -1;
    visit(text.slice(at + 1, from - 2), from, end);
    if (text[end] === '}') return end + 1;
    if (text[end] !== ',') return -1;
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

/** An object or a list of objects without their other members; of longer lists enough to see that they are. */
function readParts(text: string, from: number, to: number, parts: ReadonlySet<string>): Json {
  if (text[from] === '{') return readObject(text, from, to, parts);
  if (text[from] !== '[' || to - from === 2) return JSON.parse(text.slice(from, to));
  const list: Json[] = [];
  for (let at = from + 1; at < to && list.length <= MAX_MEMBERS;) {
    const end = skipValue(text, at, MAX_JSON_DEPTH);
    list.push(text[at] === '{' ? readObject(text, at, end, parts) : true);
    at = end + 1;
  }
  return list;
}

/** Of the entities, only registrars: contacts are never created. */
function readObject(text: string, from: number, to: number, parts: ReadonlySet<string>): Record<string, Json> {
  const members: Record<string, Json> = {};
  const isEmpty = to - from === 2;
  if (isEmpty || (parts.has('roles') && !text.slice(from, to).includes('"registrar"'))) return members;
  walkMembers(text, from, (key, start, end) => {
    if (parts.has(key)) members[key] = JSON.parse(text.slice(start, end)) as Json;
  });
  return members;
}
