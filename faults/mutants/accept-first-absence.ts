/** Mutant: the first lookup without a registration confirms an absence. */
type LookUp = (...values: unknown[]) => Promise<object>;

const check = new URL('../../dist/domains/application/checks/refresh-domain.js', import.meta.url).href;
const { RefreshDomain } = (await import(check)) as { RefreshDomain: { prototype: { run: LookUp } } };
const { brokenPartIsUsed } = (await import(new URL('../inside/broken-part.ts', import.meta.url).href)) as {
  brokenPartIsUsed: () => void;
};

const { run } = RefreshDomain.prototype;
RefreshDomain.prototype.run = async function (this: unknown, ...values) {
  brokenPartIsUsed();
  return { ...(await run.apply(this, values)), witnesses: 2 };
};
