/** Breaks the service on purpose: the first look that misses a name is believed. */
type LookUp = (...values: unknown[]) => Promise<object>;

const check = new URL('../../dist/domains/application/checks/check-domain.js', import.meta.url).href;
const { CheckDomain } = (await import(check)) as { CheckDomain: { prototype: { lookUp: LookUp } } };
const { brokenPartIsUsed } = (await import(new URL('../inside/broken-part.ts', import.meta.url).href)) as {
  brokenPartIsUsed: () => void;
};

const { lookUp } = CheckDomain.prototype;
CheckDomain.prototype.lookUp = async function (this: unknown, ...values) {
  brokenPartIsUsed();
  return { ...(await lookUp.apply(this, values)), witnesses: 2 };
};
