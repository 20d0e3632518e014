/** Mutant: an absence is accepted though DNS delegates the name. */
interface Result {
  readonly dnsVetoed?: Result;
  readonly delegation?: string;
}
type Run = (...values: unknown[]) => Promise<Result>;

const check = new URL('../../dist/domains/checks/refresh-domain.js', import.meta.url).href;
const { RefreshDomain } = (await import(check)) as { RefreshDomain: { prototype: { run: Run } } };
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

const { run } = RefreshDomain.prototype;
RefreshDomain.prototype.run = async function (this: unknown, ...values) {
  const seen = await run.apply(this, values);
  if (!seen.dnsVetoed) return seen;
  reportMutantUse();
  return { ...seen.dnsVetoed, delegation: 'not_delegated' };
};
