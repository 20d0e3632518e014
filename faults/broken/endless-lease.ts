/** Breaks the service on purpose: who holds a name holds it for an hour, so that a death in between is felt. */
interface Leases {
  readonly config: { readonly leaseSeconds: number };
  claimDue: (this: Leases, ...values: unknown[]) => Promise<unknown>;
  hold: (this: Leases, ...values: unknown[]) => Promise<unknown>;
}

const leases = new URL('../../dist/watchlist/infrastructure/repositories/postgres-leases.js', import.meta.url).href;
const { PostgresLeases } = (await import(leases)) as { PostgresLeases: { prototype: Leases } };
const { brokenPartIsUsed } = (await import(new URL('../inside/broken-part.ts', import.meta.url).href)) as {
  brokenPartIsUsed: () => void;
};

for (const method of ['claimDue', 'hold'] as const) {
  const original = PostgresLeases.prototype[method];
  PostgresLeases.prototype[method] = function (this: Leases, ...values) {
    brokenPartIsUsed();
    const patient = Object.create(this, { config: { value: { ...this.config, leaseSeconds: 3_600 } } }) as Leases;
    return original.apply(patient, values);
  };
}
