/** The sponsoring registrar, as the registry names it. At least one of the two is known. */
export interface Registrar {
  readonly name: string | null;
  /** IANA's registrar id in digits; registries of country codes have ids of their own, which are not kept. */
  readonly ianaId: string | null;
}

/** The registry's limit is 255 (RFC 5730 allows 64 for ids); a longer text is not a name. */
const MAX_NAME_LENGTH = 255;

/** Null when neither name nor id can be read. */
export function normalizeRegistrar(name: string | null, ianaId: string | null): Registrar | null {
  const known = {
    name: name === null ? null : normalizeName(name),
    ianaId: ianaId === null ? null : normalizeId(ianaId),
  };
  return known.name === null && known.ianaId === null ? null : known;
}

/**
 * By the IANA id where both have one, else by the letters and digits of the name: `MarkMonitor, Inc.` is
 * `MARKMONITOR INC`. An id cannot be compared with a name, so that counts as equal.
 */
export function areRegistrarsEqual(one: Registrar, other: Registrar): boolean {
  if (one.ianaId !== null && other.ianaId !== null) return one.ianaId === other.ianaId;
  return one.name === null || other.name === null || toNameKey(one.name) === toNameKey(other.name);
}

function normalizeName(text: string): string | null {
  if (text.length > 4 * MAX_NAME_LENGTH) return null;
  const name = text.replace(/\s+/g, ' ').trim();
  return name.length <= MAX_NAME_LENGTH && /[\p{L}\p{N}]/u.test(name) && !/\p{C}/u.test(name) ? name : null;
}

function normalizeId(text: string): string | null {
  return /^\s*0*(\d{1,7})\s*$/.exec(text)?.[1] ?? null;
}

function toNameKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
