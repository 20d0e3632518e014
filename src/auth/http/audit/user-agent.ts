const MAX_LENGTH = 200;

/** Shortened, and without characters that are not printable ASCII: clients send what they like. */
export function toShownUserAgent(sent: string | undefined): string | null {
  const shown = sent
    ?.slice(0, MAX_LENGTH)
    .replace(/[^ -~]/g, '?')
    .trim();
  return shown ? shown : null;
}
