import { DomainError } from '../../kernel/domain-error.js';

/** New values by lower-case header name. null removes a header. */
export type HeaderChanges = Readonly<Record<string, string | null>>;

/** Matches a lower-case token of RFC 9110 §5.6.2. */
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Matches headers that accounts may not set, since the connection needs them or receivers trust them. */
const RESERVED =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|cookie|user-agent|(content|proxy|webhook|x-delivery)-.*)$/;
/** Matches a header value. Excludes control characters, so that a value cannot add another header. */
const VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
const MAX_VALUE_LENGTH = 4_096;
const MAX_HEADERS = 10;

export class HeaderNotAllowed extends DomainError {
  constructor(message: string, name?: string) {
    super('invalid_request', message, { field: name === undefined ? 'headers' : `headers/${toJsonPointer(name)}` });
  }
}

/** @throws HeaderNotAllowed if a name or value is not allowed, or a name is repeated */
export function parseHeaderChanges(input: Readonly<Record<string, unknown>>): HeaderChanges {
  const changes = Object.entries(input).map(([name, value]) => [parseName(name), parseValue(name, value)] as const);
  const names = new Set(changes.map(([name]) => name));
  if (names.size < changes.length) throw new HeaderNotAllowed('Two headers differ in the case of their names only.');
  return Object.fromEntries(changes);
}

/**
 * Applies a merge patch (RFC 7396) to the headers.
 * @throws HeaderNotAllowed when there are too many
 */
export function mergeHeaders(
  current: Readonly<Record<string, string>>,
  changes: HeaderChanges,
): Record<string, string> {
  const merged = Object.entries({ ...current, ...changes });
  const kept = merged.filter((header): header is [string, string] => header[1] !== null);
  if (kept.length > MAX_HEADERS) throw new HeaderNotAllowed(`A channel has at most ${MAX_HEADERS} headers.`);
  return Object.fromEntries(kept);
}

function parseName(typed: string): string {
  const name = typed.toLowerCase();
  if (!NAME.test(name)) throw new HeaderNotAllowed('This is not the name of a header.', typed);
  if (RESERVED.test(name)) throw new HeaderNotAllowed(`The header ${name} is not yours to set.`, typed);
  return name;
}

function parseValue(name: string, value: unknown): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && value.length <= MAX_VALUE_LENGTH && VALUE.test(value)) return value;
  throw new HeaderNotAllowed(`A header's value is 1 to ${MAX_VALUE_LENGTH} printable ASCII characters.`, name);
}

/** Escapes a name for a JSON pointer (RFC 6901). */
function toJsonPointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
