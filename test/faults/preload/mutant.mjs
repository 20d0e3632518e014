let isUsed = false;

/** Reports to the harness that the mutated code ran, not only loaded. */
export function reportMutantUse() {
  if (isUsed) return;
  isUsed = true;
  process.send?.({ used: true });
}

/** Loads a file of the build, which the service loads too; `path` is below dist, without its extension. */
export function fromBuild(path) {
  return import(new URL(`../../../dist/${path}.js`, import.meta.url).href);
}
