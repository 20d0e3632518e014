/** Mutant: a lease on a name lasts an hour, so the death of its worker delays the name. */
interface Leases {
  readonly config: { readonly leaseSeconds: number };
  claimDue: (this: Leases, ...values: unknown[]) => Promise<unknown>;
  start: (this: Leases, ...values: unknown[]) => Promise<unknown>;
}

const leases = new URL('../../dist/watchlist/checks/leases.repository.js', import.meta.url).href;
const { LeaseRepository } = (await import(leases)) as { LeaseRepository: { prototype: Leases } };
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

for (const method of ['claimDue', 'start'] as const) {
  const original = LeaseRepository.prototype[method];
  LeaseRepository.prototype[method] = function (this: Leases, ...values) {
    reportMutantUse();
    const patient = Object.create(this, { config: { value: { ...this.config, leaseSeconds: 3_600 } } }) as Leases;
    return original.apply(patient, values);
  };
}
