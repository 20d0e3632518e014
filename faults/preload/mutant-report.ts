let isUsed = false;

/** Reports to the harness that the mutated code ran, not only loaded. */
export function reportMutantUse(): void {
  if (isUsed) return;
  isUsed = true;
  process.send?.({ used: true });
}
