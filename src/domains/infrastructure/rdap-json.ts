import { isAscii, isUtf8 } from 'node:buffer';

/** Nobody needs more members of one list, or more of one text, to tell a status. */
const MEMBERS = 64;
const CHARACTERS = 1_000;

/** Reading JSON of strangers: every access is total, sees own members only, and is bounded. */
export type Json = unknown;

/** The JSON value of a body; `undefined` when it is empty, `null` when it is not UTF-8 (RFC 8259 §8.1) or no JSON. */
export function jsonOf(body: Buffer): Json {
  // Nearly all answers are ASCII, which is read several times as fast.
  const encoding = isAscii(body) ? 'latin1' : isUtf8(body) ? 'utf8' : null;
  if (encoding === null) return null;
  const text = body.toString(encoding).trim(); // A byte order mark counts as white space here.
  try {
    return text === '' ? undefined : (JSON.parse(text) as Json);
  } catch {
    return null; // The caller makes a coded failure of it; what the parser disliked is of no use to anybody.
  }
}

export function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object; undefined for a missing one, a `null` one, and for anything that is no object. */
export function member(value: Json, key: string): Json {
  return isObject(value) && Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined;
}

/** The first members of a list; some registries write a lone member without its list. */
export function listOf(value: Json): Json[] {
  if (!Array.isArray(value)) return value === undefined ? [] : [value];
  return value.length > MEMBERS ? value.slice(0, MEMBERS) : value;
}

/** A string's beginning, without control characters (a NUL cannot be stored, an escape could drive a terminal). */
export function textOf(value: Json): string {
  return typeof value === 'string' ? printable(value.slice(0, CHARACTERS)) : '';
}

export function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.trim();
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
}
