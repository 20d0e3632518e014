/** Breaks the service on purpose: an absence is believed though the name is delegated, and by two looks as ever. */
interface Look {
  readonly vetoed?: Look;
  readonly delegation?: string;
}
type Looking = (...values: unknown[]) => Promise<Look>;

const check = new URL('../../dist/domains/application/check-domain.js', import.meta.url).href;
const { CheckDomain } = (await import(check)) as { CheckDomain: { prototype: { look: Looking } } };
const { brokenPartIsUsed } = (await import(new URL('../inside/broken-part.ts', import.meta.url).href)) as {
  brokenPartIsUsed: () => void;
};

const { look } = CheckDomain.prototype;
CheckDomain.prototype.look = async function (this: unknown, ...values) {
  const seen = await look.apply(this, values);
  if (!seen.vetoed) return seen;
  brokenPartIsUsed();
  return { ...seen.vetoed, delegation: 'not_delegated' };
};
