/** A delegation signer record (RFC 4034 §5). The digest has upper-case hexadecimal digits. */
export interface DsRecord {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  readonly digest: string;
}

/** The number of hexadecimal digits of SHA-1, SHA-256, GOST and SHA-384 (RFC 4034, 4509, 5933, 6605). */
const DIGITS_BY_DIGEST_TYPE: ReadonlyMap<number, number> = new Map([
  [1, 40],
  [2, 64],
  [3, 64],
  [4, 96],
]);
const MAX_DIGEST_DIGITS = 128;

/** Returns null unless every number is in its range and the digest is complete. */
export function normalizeDsRecord({ keyTag, algorithm, digestType, digest }: DsRecord): DsRecord | null {
  if (!isInteger(keyTag, 65_535) || !isInteger(algorithm, 255) || !isInteger(digestType, 255)) return null;
  const digits = digest.length > 2 * MAX_DIGEST_DIGITS ? '' : digest.replace(/\s+/g, '').toUpperCase();
  const expected = DIGITS_BY_DIGEST_TYPE.get(digestType);
  const isComplete = expected ? digits.length === expected : digits.length > 0 && digits.length <= MAX_DIGEST_DIGITS;
  return isComplete && /^(?:[\dA-F]{2})+$/.test(digits) ? { keyTag, algorithm, digestType, digest: digits } : null;
}

/** Formats the record as in zone files: `12345 13 2 49FD…`. */
export function formatDsRecord({ keyTag, algorithm, digestType, digest }: DsRecord): string {
  return `${keyTag} ${algorithm} ${digestType} ${digest}`;
}

/** Parses the format of zone files, with any spaces in the digest. Returns null for another format. */
export function parseDsRecord(text: string): DsRecord | null {
  const [, keyTag, algorithm, digestType, digest = ''] =
    /^\s*(\d{1,5})\s+(\d{1,3})\s+(\d{1,3})\s+([\da-f][\da-f\s]{0,255})$/i.exec(text) ?? [];
  return normalizeDsRecord({
    keyTag: Number(keyTag),
    algorithm: Number(algorithm),
    digestType: Number(digestType),
    digest,
  });
}

function isInteger(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}
