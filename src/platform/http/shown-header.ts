/** Shortened, and without characters that are not printable ASCII: clients send what they like. */
export function toShownHeader(sent: string | undefined, maxLength: number): string | null {
  const shown = sent
    ?.slice(0, maxLength)
    .replace(/[^ -~]/g, '?')
    .trim();
  return shown ? shown : null;
}
