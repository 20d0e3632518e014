/** Breaks the service on purpose: a look is written down whoever holds the name by now, and however old it is. */
interface Leases {
  readonly entities: { getKysely(): unknown };
  readonly statements: { run(statement: object, values: readonly unknown[]): Promise<unknown> };
  end(lease: { readonly name: string }): Promise<boolean>;
}

const load = async <Module>(file: string) =>
  (await import(new URL(`../../dist/watchlist/${file}.js`, import.meta.url).href)) as Module;
const { PostgresLeases } = await load<{ PostgresLeases: { prototype: Leases } }>(
  'infrastructure/repositories/postgres-leases',
);
const { RecordCheckResults } = await load<{ RecordCheckResults: { prototype: { routineOf(): null } } }>(
  'application/checks/record-check-results',
);
const { WatchedName } = await load<{ WatchedName: { prototype: { isOvertaken(): boolean } } }>(
  'domain/watched-name/watched-name',
);
const { brokenPartIsUsed } = (await import(new URL('../inside/broken-part.ts', import.meta.url).href)) as {
  brokenPartIsUsed: () => void;
};

const UNFENCED = { name: 'lease_end_unfenced', text: 'delete from leases where domain = $1' };

PostgresLeases.prototype.end = async function (this: Leases, { name }) {
  brokenPartIsUsed();
  await this.statements.run(UNFENCED, [name]);
  return true;
};
RecordCheckResults.prototype.routineOf = () => null; // every look goes the long way, where the fence was
WatchedName.prototype.isOvertaken = () => false;
