import { isUtf8 } from 'node:buffer';
import { toPrintable } from '../answer-text/printable.js';

/** The largest response that is parsed. Real records have a few thousand bytes. */
export const MAX_RESPONSE_BYTES = 512 * 1_024;
/** Limits for the lengths of lists and texts. Real responses stay below these limits. */
const MAX_MEMBERS = 64;
const MAX_CHARACTERS = 1_000;
/** The deepest nesting that is accepted. Real responses are nested a dozen levels deep. */
const MAX_DEPTH = 50;

/** Untrusted JSON. The functions of this file limit their work and ignore inherited members. They never throw. */
export type Json = unknown;

/** A parsed body, and the flaw that makes it untrustworthy, if any. */
export interface ParsedJson {
  /** `undefined` if the body is empty; `null` if it is too large, too deep or not JSON in UTF-8 (RFC 8259 §8.1). */
  readonly value: Json;
  readonly flaw: 'too_large' | 'not_json' | 'too_deep' | 'control_characters' | null;
}

/** Takes the last of several members with the same name, as nearly all parsers do (RFC 8259 §4). */
export function parseJson(body: Buffer): ParsedJson {
  if (body.length > MAX_RESPONSE_BYTES) return { value: null, flaw: 'too_large' };
  if (!isUtf8(body)) return { value: null, flaw: 'not_json' };
  const text = body.toString('utf8').trim(); // trim() removes a byte order mark too
  if (text === '') return { value: undefined, flaw: null };
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return { value: null, flaw: 'not_json' };
  }
  if (isDeeperThan(value, MAX_DEPTH)) return { value: null, flaw: 'too_deep' };
  return { value, flaw: hasControlCharacters(text) ? 'control_characters' : null };
}

function isDeeperThan(value: Json, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  for (const child of Array.isArray(value) ? value : Object.values(value))
    if (isDeeperThan(child, limit - 1)) return true;
  return false;
}

/**
 * Finds control characters except tabs and line ends. Real registry data has none, because the XML of EPP forbids
 * nearly all.
 */
function hasControlCharacters(text: string): boolean {
  return text.includes('\x7f') || (text.includes('\\') && ESCAPED_CONTROL.test(text));
}

const ESCAPED_CONTROL = /(?<!\\)(?:\\\\)*\\(?:[bf]|u00(?:0[0-8bcef]|1[\da-f]|7f))/i;

export function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a member; undefined if the member is missing or `null`, or if the value is no object. */
export function member(value: Json, key: string): Json {
  return isObject(value) && Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined;
}

/** Whether the value is so short that {@link toList} and {@link toText} cut nothing. */
export function isWithinLimits(value: Json): boolean {
  if (typeof value === 'string')
    return value.length <= MAX_CHARACTERS || collapseWhitespace(value).length <= MAX_CHARACTERS;
  return !Array.isArray(value) || (value.length <= MAX_MEMBERS && value.every(isWithinLimits));
}

/**
 * Returns the first members of a list. A single value counts as a list, because some registries leave out the list
 * around a single member.
 */
export function toList(value: Json): Json[] {
  if (!Array.isArray(value)) return value === undefined ? [] : [value];
  return value.length > MAX_MEMBERS ? value.slice(0, MAX_MEMBERS) : value;
}

/** Returns a string without control characters (see {@link toPrintable}), and cuts it after MAX_CHARACTERS. */
export function toText(value: Json): string {
  if (typeof value !== 'string') return '';
  return value.length <= MAX_CHARACTERS
    ? toPrintable(value)
    : toPrintable(collapseWhitespace(value).slice(0, MAX_CHARACTERS));
}

/** Shortens white space, so that padding does not push words beyond the length limit. */
function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ');
}
