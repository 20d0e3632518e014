type Reseal = (sealed: string) => string;

/** A column with sealed secrets. `namewatch secrets reseal` processes exactly this list. */
export interface SealedColumn {
  /** Shown to administrators, in the plural. */
  readonly kind: string;
  readonly table: string;
  /** The primary key, for paging. */
  readonly key: string;
  readonly column: string;
  /** SQL condition of the rows to process. */
  readonly where: string;
  /** The `belongsTo` of SecretBox for this row. */
  readonly belongsTo: (key: string) => string;
  /** Applies `reseal` to each secret in the column's value. */
  readonly mapSecrets: (value: never, reseal: Reseal) => unknown;
}

interface OlderSecret {
  readonly sealed: string;
  readonly until: string;
}

const resealText = (value: string, reseal: Reseal) => reseal(value);
const resealValues = (value: Readonly<Record<string, string>>, reseal: Reseal) =>
  Object.fromEntries(Object.entries(value).map(([name, sealed]) => [name, reseal(sealed)]));
/** Drops expired secrets. */
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
