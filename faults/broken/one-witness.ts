/** Breaks the service on purpose: the first look that misses a name is believed. */
type Look = (...values: unknown[]) => Promise<object>;

const check = new URL('../../dist/domains/application/check-domain.js', import.meta.url).href;
const { CheckDomain } = (await import(check)) as { CheckDomain: { prototype: { look: Look } } };
const { brokenPartIsUsed } = (await import(new URL('../inside/broken-part.ts', import.meta.url).href)) as {
  brokenPartIsUsed: () => void;
};

const { look } = CheckDomain.prototype;
CheckDomain.prototype.look = async function (this: unknown, ...values) {
  brokenPartIsUsed();
  return { ...(await look.apply(this, values)), witnesses: 2 };
};
