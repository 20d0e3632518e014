import { isAscii } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, skipKey, skipValue } from './json-skipper.js';
import { type Json, MAX_JSON_DEPTH, MAX_MEMBERS, type ParsedJson, parseJson } from './rdap-json.js';

/** All that is read of a record. */
const READ = new Set([
  ...['errorCode', 'objectClassName', 'ldhName', 'unicodeName', 'status', 'events', 'redacted', 'remarks'],
  ...['title', 'description', 'notices', 'secureDNS', 'entities', 'nameservers'],
]);
/** Of these long lists only what a registration record needs is created; a status depends on no more than their being there. */
const NAMES = new Set(['ldhName', 'unicodeName']);
const REGISTRAR = '"registrar"';
const REGISTRAR_MEMBERS = new Set(['roles', 'publicIds', 'vcardArray']);
/** Below the record and its list. */
const ITEM_DEPTH = MAX_JSON_DEPTH - 2;
/** Escapes, and characters that are none of plain ASCII: line breaks too. */
const NOT_PLAIN = /[^ !"#-[\]-~]/;

/** They are the same in all records of a registry. Long ones are not kept. */
const knownNotices = new LRUCache<string, { readonly value: Json }>({ max: 200 });
const MAX_KNOWN_LENGTH = 8_192;
const knownValues = new LRUCache<string, { readonly value: Json }>({ max: 2_000 });

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
  const end = walkMembers(text, 0, (key, from) => {
    const isObjects = text.startsWith('[{"', from);
    if (isObjects && key === 'nameservers') return readNameservers(text, from, (members[key] = []));
    if (isObjects && key === 'entities') return readRegistrars(text, from, (members[key] = [{}]));
    const to = skipValue(text, from, MAX_JSON_DEPTH - 1);
    if (to > 0 && READ.has(key)) members[key] = readValue(key, text.slice(from, to));
    return to;
  });
  return end === text.length ? members : null;
}

/** @returns the index behind the value, or -1 where it is malformed */
type Read = (key: string, from: number) => number;

/** @returns the index behind the object, which has members; -1 where it is malformed */
function walkMembers(text: string, start: number, read: Read): number {
  for (let at = start + 1; ;) {
    const from = skipKey(text, at);
    const end = from < 0 ? -1 : read(text.slice(at + 1, from - 2), from);
    if (end < 0) return -1;
    const code = text.charCodeAt(end);
    if (code === CLOSE_OBJECT) return end + 1;
    if (code !== COMMA) return -1;
    at = end + 1;
  }
}

/** @returns the index behind the list, which has items; -1 where it is malformed */
function walkItems(text: string, start: number, read: (from: number) => number): number {
  for (let at = start + 1; ;) {
    const end = read(at);
    if (end < 0) return -1;
    const code = text.charCodeAt(end);
    if (code === CLOSE_LIST) return end + 1;
    if (code !== COMMA) return -1;
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

/** Of each only its names; of longer lists enough to see that they are. */
function readNameservers(text: string, start: number, list: Json[]): number {
  return walkItems(text, start, (from) => {
    if (!text.startsWith('{"', from) || list.length > MAX_MEMBERS) {
      list.push({});
      return skipValue(text, from, ITEM_DEPTH);
    }
    const members: Record<string, Json> = {};
    list.push(members);
    return readSome(text, from, NAMES, members);
  });
}

/** Only registrars: contacts are never created. */
function readRegistrars(text: string, start: number, list: Json[]): number {
  let mention = text.indexOf(REGISTRAR, start);
  return walkItems(text, start, (from) => {
    const to = skipValue(text, from, ITEM_DEPTH);
    if (mention < 0 || mention >= to) return to;
    mention = text.indexOf(REGISTRAR, to);
    const members: Record<string, Json> = {};
    list.push(members);
    return text.startsWith('{"', from) ? readSome(text, from, REGISTRAR_MEMBERS, members) : to;
  });
}

/** Hosters and registrars are the same in many records. The key is a copy: a part of a body would keep all of it. */
function knownValue(text: string): Json {
  const known = text.length > MAX_KNOWN_LENGTH ? undefined : knownValues.get(text);
  if (known) return known.value;
  const value: Json = JSON.parse(text);
  if (text.length <= MAX_KNOWN_LENGTH) knownValues.set(Buffer.from(text, 'latin1').toString('latin1'), { value });
  return value;
}

function readSome(text: string, start: number, keys: ReadonlySet<string>, members: Record<string, Json>): number {
  return walkMembers(text, start, (key, from) => {
    const to = skipValue(text, from, ITEM_DEPTH - 1);
    if (to > 0 && keys.has(key)) members[key] = knownValue(text.slice(from, to));
    return to;
  });
}
