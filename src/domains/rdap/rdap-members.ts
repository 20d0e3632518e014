import { isAscii } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, skipKey, skipValue } from './json-skipper.js';
import { type Json, MAX_JSON_DEPTH, MAX_MEMBERS, type ParsedJson, parseJson } from './rdap-json.js';
import { RecentValues } from './recent-values.js';

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

/** Members that many records share word for word. Events have the dates of their name, and links its address. */
const SHARED = new Map(
  ['rdapConformance', 'notices', 'remarks', 'redacted', 'status', 'secureDNS', 'entities', 'nameservers'].map(
    (key) => [key, new RecentValues()] as const,
  ),
);

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
  if (!text.startsWith('{"')) return null;
  const plain = new PlainText(text);
  const members: Record<string, Json> = {};
  const end = walkMembers(text, 0, (key, from) => {
    const recent = SHARED.get(key)?.findAt(text, from);
    if (!recent) return readMember(plain, key, from, members);
    if (!plain.isPlainUntil(from)) return -1;
    if (READ.has(key)) members[key] = recent.value;
    return plain.skipTo(from + recent.text.length);
  });
  return end === text.length && plain.isPlainUntil(end) ? members : null;
}

/** A body of which each part is searched once for what is not plain, and parts that are known not at all. */
class PlainText {
  private checked = 0;

  constructor(readonly text: string) {}

  isPlainUntil(end: number): boolean {
    if (end <= this.checked) return true;
    const isPlain = !NOT_PLAIN.test(this.text.slice(this.checked, end));
    this.checked = end;
    return isPlain;
  }

  skipTo(end: number): number {
    this.checked = Math.max(this.checked, end);
    return end;
  }
}

/** @returns the index behind the value, or -1 where it is malformed */
function readMember(plain: PlainText, key: string, from: number, members: Record<string, Json>): number {
  const to = skipValue(plain.text, from, MAX_JSON_DEPTH - 1);
  if (to < 0 || !plain.isPlainUntil(to)) return -1;
  const shared = SHARED.get(key);
  if (!shared && !READ.has(key)) return to;
  const text = plain.text.slice(from, to);
  const isBracketed = text.endsWith('}') || text.endsWith(']');
  const known = isBracketed ? shared?.get(text) : undefined;
  const value = known ? known.value : READ.has(key) ? readValue(key, text) : undefined;
  if (READ.has(key)) members[key] = value;
  if (isBracketed && !known) shared?.add(text, value);
  return to;
}

function readValue(key: string, text: string): Json {
  const list: Json[] = [];
  if (key === 'nameservers' && text.startsWith('[{"')) readNameservers(text, list);
  else if (key === 'entities' && text.startsWith('[{"')) readRegistrars(text, list);
  else return JSON.parse(text);
  return list;
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

/** Of each only its names; of longer lists enough to see that they are. */
function readNameservers(text: string, list: Json[]): void {
  walkItems(text, 0, (from) => {
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
function readRegistrars(text: string, list: Json[]): void {
  list.push({});
  let mention = text.indexOf(REGISTRAR);
  walkItems(text, 0, (from) => {
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
