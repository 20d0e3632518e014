/** Mutant: name servers and DS records change when the registry says so, whatever the parent zone says. */
type Reports = Readonly<Record<string, { readonly verdict: string }>>;
type Run = (...values: unknown[]) => Promise<Reports>;

const confirm = new URL('../../dist/watchlist/checks/confirm-delegation.js', import.meta.url).href;
const { ConfirmDelegation } = (await import(confirm)) as { ConfirmDelegation: { prototype: { run: Run } } };
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

const { run } = ConfirmDelegation.prototype;
ConfirmDelegation.prototype.run = async function (this: unknown, ...values) {
  const reports = await run.apply(this, values);
  if (Object.values(reports).some(({ verdict }) => verdict !== 'confirmed')) reportMutantUse();
  return Object.fromEntries(
    Object.entries(reports).map(([kind, report]) => [kind, { ...report, verdict: 'confirmed' }]),
  );
};
