/** Shorter texts are no secrets, and replacing them would garble everything else. */
const MIN_SECRET_LENGTH = 6;
const MIN_PART_LENGTH = 8;
const REDACTED = '…';
const MAX_CAUSES = 5;

/** The text without these secrets, in clear or in an encoding that anybody can read. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  if (text.length < MIN_SECRET_LENGTH) return text;
  const longestFirst = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH).toSorted(byLengthDescending);
  return longestFirst.flatMap(toSpellings).reduce((kept, spelling) => kept.replaceAll(spelling, REDACTED), text);
}

/** A secret target and its parts, such as the token in the path of a URL: replies often repeat only that. */
export function toSecretParts(target: string, host: string): string[] {
  const parts = target.split(/[/?&=#:@\s]+/).filter((part) => part.length >= MIN_PART_LENGTH && part !== host);
  return [target, ...parts];
}

/** A copy to log: name, message, stack and causes. Other fields may hold anything, and are left out. */
export function redactError(error: unknown, secrets: readonly string[], depth = 0): Error {
  const { name, message, stack, cause } = (error ?? {}) as Partial<Error>;
  const text = typeof message === 'string' ? message : String(error);
  const hasCause = cause !== undefined && depth < MAX_CAUSES;
  const copy = new Error(
    redactSecrets(text, secrets),
    hasCause ? { cause: redactError(cause, secrets, depth + 1) } : undefined,
  );
  if (typeof name === 'string') copy.name = name;
  if (typeof stack === 'string') copy.stack = redactSecrets(stack, secrets);
  return copy;
}

function toSpellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const spellings = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), toHtml(secret)];
  return [...new Set([...spellings, bytes.toString('base64'), bytes.toString('base64url')])];
}

function toHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function byLengthDescending(left: string, right: string): number {
  return right.length - left.length;
}
