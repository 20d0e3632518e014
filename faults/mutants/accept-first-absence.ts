/** Mutant: the first lookup without a registration confirms an absence. */
type LookUp = (...values: unknown[]) => Promise<object>;

const lookup = new URL('../../dist/domains/checks/domain-lookup.js', import.meta.url).href;
const { DomainLookup } = (await import(lookup)) as { DomainLookup: { prototype: { run: LookUp } } };
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

const { run } = DomainLookup.prototype;
DomainLookup.prototype.run = async function (this: unknown, ...values) {
  reportMutantUse();
  return { ...(await run.apply(this, values)), witnesses: 2 };
};
