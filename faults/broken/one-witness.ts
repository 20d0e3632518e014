/** Breaks the service on purpose: the first look that misses a name is believed. */
type Look = (...values: unknown[]) => Promise<object>;

const check = new URL('../../dist/domains/application/check-domain.js', import.meta.url).href;
const { CheckDomain } = (await import(check)) as { CheckDomain: { prototype: { look: Look } } };

const { look } = CheckDomain.prototype;
CheckDomain.prototype.look = async function (this: unknown, ...values) {
  return { ...(await look.apply(this, values)), witnesses: 2 };
};
