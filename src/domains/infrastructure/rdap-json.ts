const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Nobody needs more members of one list, or more of one text, to tell a status. */
const MEMBERS = 64;
const CHARACTERS = 1_000;

/** Reading JSON of strangers: every access is total, sees own members only, and is bounded. */
export type Json = unknown;

/** The JSON value of a body; `undefined` when it is empty, `null` when it is not UTF-8 (RFC 8259 §8.1) or no JSON. */
export function jsonOf(body: Uint8Array): Json {
  try {
    const text = utf8.decode(body);
    return text.trim() === '' ? undefined : (JSON.parse(text) as Json);
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
  return Array.isArray(value) ? value.slice(0, MEMBERS) : value === undefined ? [] : [value];
}

/** A string's beginning, without control characters (a NUL cannot be stored, an escape could drive a terminal). */
export function textOf(value: Json): string {
  return typeof value === 'string' ? printable(value.slice(0, CHARACTERS)) : '';
}

export function printable(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
}
