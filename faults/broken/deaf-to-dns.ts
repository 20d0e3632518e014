/** Breaks the service on purpose: an absence is believed though the name is delegated, and by two looks as ever. */
interface Look {
  readonly dnsVetoed?: Look;
  readonly delegation?: string;
}
type Looking = (...values: unknown[]) => Promise<Look>;

const check = new URL('../../dist/domains/application/checks/check-domain.js', import.meta.url).href;
const { CheckDomain } = (await import(check)) as { CheckDomain: { prototype: { lookUp: Looking } } };
const { brokenPartIsUsed } = (await import(new URL('../inside/broken-part.ts', import.meta.url).href)) as {
  brokenPartIsUsed: () => void;
};

const { lookUp } = CheckDomain.prototype;
CheckDomain.prototype.lookUp = async function (this: unknown, ...values) {
  const seen = await lookUp.apply(this, values);
  if (!seen.dnsVetoed) return seen;
  brokenPartIsUsed();
  return { ...seen.dnsVetoed, delegation: 'not_delegated' };
};
