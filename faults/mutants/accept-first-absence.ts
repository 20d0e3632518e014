/** Mutant: the first lookup without a registration confirms an absence. */
type LookUp = (...values: unknown[]) => Promise<object>;

const check = new URL('../../dist/domains/application/checks/refresh-domain.js', import.meta.url).href;
const { RefreshDomain } = (await import(check)) as { RefreshDomain: { prototype: { run: LookUp } } };
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

const { run } = RefreshDomain.prototype;
RefreshDomain.prototype.run = async function (this: unknown, ...values) {
  reportMutantUse();
  return { ...(await run.apply(this, values)), witnesses: 2 };
};
