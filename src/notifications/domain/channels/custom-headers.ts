import { DomainError } from '../../../kernel/domain-error.js';

/** By name in lower case; null takes a header away. */
export type HeaderChanges = Readonly<Record<string, string | null>>;

/** RFC 9110 §5.6.2. */
const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** What frames a request, what the connection is about, and what receivers must be able to trust as ours. */
const OURS =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|cookie|user-agent|(content|proxy|webhook|x-delivery)-.*)$/;
/** No control characters, hence no second header inside the first. */
const VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
const VALUE_LIMIT = 4_096;
const HEADERS = 10;

/** A header that a channel may not have. */
export class HeaderRefused extends DomainError {
  constructor(message: string, name?: string) {
    super('invalid_request', message, { field: name === undefined ? 'headers' : `headers/${pointerOf(name)}` });
  }
}

/**
 * Reads what an account wants sent along with its notifications.
 * @throws HeaderRefused
 */
export function headerChanges(asked: Readonly<Record<string, unknown>>): HeaderChanges {
  const changes = Object.entries(asked).map(([name, value]) => [nameOf(name), valueOf(name, value)] as const);
  const names = new Set(changes.map(([name]) => name));
  if (names.size < changes.length) throw new HeaderRefused('Two headers differ in the case of their names only.');
  return Object.fromEntries(changes);
}

/**
 * The headers after a merge patch (RFC 7396).
 * @throws HeaderRefused when there are too many.
 */
export function withHeaders(held: Readonly<Record<string, string>>, changes: HeaderChanges): Record<string, string> {
  const merged = Object.entries({ ...held, ...changes });
  const kept = merged.filter((header): header is [string, string] => header[1] !== null);
  if (kept.length > HEADERS) throw new HeaderRefused(`A channel has at most ${HEADERS} headers.`);
  return Object.fromEntries(kept);
}

function nameOf(typed: string): string {
  const name = typed.toLowerCase();
  if (!TOKEN.test(name)) throw new HeaderRefused('This is not the name of a header.', typed);
  if (OURS.test(name)) throw new HeaderRefused(`The header ${name} is not yours to set.`, typed);
  return name;
}

function valueOf(name: string, value: unknown): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && value.length <= VALUE_LIMIT && VALUE.test(value)) return value;
  throw new HeaderRefused(`A header's value is 1 to ${VALUE_LIMIT} printable ASCII characters.`, name);
}

/** RFC 6901. */
function pointerOf(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
