/** Mutant: a result is recorded without a lease and however old it is. */
interface Leases {
  readonly entities: { getKysely(): unknown };
  readonly statements: { run(statement: object, values: readonly unknown[]): Promise<unknown> };
  end(lease: { readonly name: string }): Promise<boolean>;
}

const load = async <Module>(file: string) =>
  (await import(new URL(`../../dist/watchlist/${file}.js`, import.meta.url).href)) as Module;
const { LeaseRepository } = await load<{ LeaseRepository: { prototype: Leases } }>('checks/leases.repository');
const { RecordCheckResults } = await load<{ RecordCheckResults: { prototype: { applyToCopy(): null } } }>(
  'checks/record-check-results',
);
const { WatchedName } = await load<{ WatchedName: { prototype: { isStale(): boolean } } }>('domain/watched-name');
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

const UNFENCED = { name: 'lease_end_unfenced', text: 'delete from leases where domain = $1' };

LeaseRepository.prototype.end = async function (this: Leases, { name }) {
  reportMutantUse();
  await this.statements.run(UNFENCED, [name]);
  return true;
};
RecordCheckResults.prototype.applyToCopy = () => null; // every result takes the transactional path, which had the fence
WatchedName.prototype.isStale = () => false;
