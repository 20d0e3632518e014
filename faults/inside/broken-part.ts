let isUsed = false;

/** What is broken on purpose was used, and not only loaded: the harness wants to know. */
export function brokenPartIsUsed(): void {
  if (isUsed) return;
  isUsed = true;
  process.send?.({ used: true });
}
