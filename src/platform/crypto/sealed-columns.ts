type Reseal = (sealed: string) => string;

/** A column that holds sealed secrets. What `namewatch secrets reseal` knows is this list: a new column is a line in it. */
export interface SealedColumn {
  /** As a person reads it, in the plural. */
  readonly kind: string;
  readonly table: string;
  /** Its primary key, by which it is walked. */
  readonly key: string;
  readonly column: string;
  /** Of the rows that count. */
  readonly where: string;
  /** What a secret of this row was sealed for; see SecretBox. */
  readonly belongsTo: (key: string) => string;
  /** Seals each secret of the column's value anew. */
  readonly mapSecrets: (value: never, reseal: Reseal) => unknown;
}

interface OlderSecret {
  readonly sealed: string;
  readonly until: string;
}

const resealText = (value: string, reseal: Reseal) => reseal(value);
const resealValues = (value: Readonly<Record<string, string>>, reseal: Reseal) =>
  Object.fromEntries(Object.entries(value).map(([name, sealed]) => [name, reseal(sealed)]));
/** Those that ended are of no use to anybody. */
const resealOlderSecrets = (value: readonly OlderSecret[], reseal: Reseal) =>
  value
    .filter(({ until }) => new Date(until) > new Date())
    .map((secret) => ({ ...secret, sealed: reseal(secret.sealed) }));

const channel = { table: 'notification_channels', key: 'id' };
const channelOwner = (id: string) => `notification channel ${id}`;

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    ...{ kind: 'webhook secrets', ...channel, column: 'sealed_secret', where: 'sealed_secret is not null' },
    ...{ belongsTo: channelOwner, mapSecrets: resealText },
  },
  {
    ...{ kind: 'rotated webhook secrets', ...channel, column: 'older_secrets', where: `older_secrets <> '[]'` },
    ...{ belongsTo: channelOwner, mapSecrets: resealOlderSecrets },
  },
  {
    ...{ kind: 'webhook headers', ...channel, column: 'headers', where: `headers <> '{}'` },
    ...{ belongsTo: (id) => `headers of ${channelOwner(id)}`, mapSecrets: resealValues },
  },
  {
    ...{ kind: 'kept replies', table: 'idempotent_replies', key: 'scope', column: 'sealed' },
    ...{ where: 'sealed is not null and kept_until > now()' },
    ...{ belongsTo: (scope) => `idempotent reply ${scope}`, mapSecrets: resealText },
  },
];
