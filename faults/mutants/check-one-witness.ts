/** Mutant: a check answers on one absence of the registry, also where DNS is inconclusive. */
interface Result {
  readonly kind: string;
  readonly delegation?: string;
}
interface Lookup {
  run: (...values: unknown[]) => Promise<Result>;
  runForCheck: (this: Lookup, name: unknown) => Promise<Result>;
}

const lookup = new URL('../../dist/domains/checks/domain-lookup.js', import.meta.url).href;
const { DomainLookup } = (await import(lookup)) as { DomainLookup: { prototype: Lookup } };
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

DomainLookup.prototype.runForCheck = async function (name) {
  const result = await this.run(name, 10_000, { priority: 'check' });
  if (result.kind === 'failure' || result.delegation !== 'inconclusive') return result;
  reportMutantUse();
  return { ...result, hasSecondWitness: true };
};
