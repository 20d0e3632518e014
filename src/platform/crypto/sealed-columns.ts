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
  /**
   * A column of the same row with a hash of the secret, which changes with the master key. A row of an equal `scope` that
   * has the new hash already keeps it: the column is unique.
   */
  readonly hash?: { readonly column: string; readonly purpose: string; readonly scope: readonly string[] };
  /** Applies `reseal` to each secret in the column's value. */
  readonly mapSecrets: (value: never, reseal: Reseal, now: Date) => unknown;
}

interface OlderSecret {
  readonly sealed: string;
  readonly until: string;
}

const resealText = (value: string, reseal: Reseal) => reseal(value);
const resealValues = (value: Readonly<Record<string, string>>, reseal: Reseal) =>
  Object.fromEntries(Object.entries(value).map(([name, sealed]) => [name, reseal(sealed)]));
/** Drops expired secrets. */
const resealOlderSecrets = (value: readonly OlderSecret[], reseal: Reseal, now: Date) =>
  value.filter(({ until }) => new Date(until) > now).map((secret) => ({ ...secret, sealed: reseal(secret.sealed) }));

const CHANNELS = { table: 'notification_channels', key: 'id' };
const channelOwner = (id: string) => `notification channel ${id}`;

/** The purpose of hashes of targets: `SecretBox.hashes`. */
export const TARGET_HASH = 'channel targets';

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    ...CHANNELS,
    kind: 'webhook secrets',
    column: 'sealed_secret',
    where: 'sealed_secret is not null',
    belongsTo: channelOwner,
    mapSecrets: resealText,
  },
  {
    ...CHANNELS,
    kind: 'rotated webhook secrets',
    column: 'older_secrets',
    where: `older_secrets <> '[]'`,
    belongsTo: channelOwner,
    mapSecrets: resealOlderSecrets,
  },
  {
    ...CHANNELS,
    kind: 'secret targets',
    column: 'sealed_target',
    where: 'sealed_target is not null',
    belongsTo: (id) => `target of ${channelOwner(id)}`,
    mapSecrets: resealText,
    hash: { column: 'canonical_target', purpose: TARGET_HASH, scope: ['account_id', 'type'] },
  },
  {
    ...CHANNELS,
    kind: 'credentials',
    column: 'sealed_credential',
    where: 'sealed_credential is not null',
    belongsTo: (id) => `credential of ${channelOwner(id)}`,
    mapSecrets: resealText,
  },
  {
    ...CHANNELS,
    kind: 'webhook headers',
    column: 'headers',
    where: `headers <> '{}'`,
    belongsTo: (id) => `headers of ${channelOwner(id)}`,
    mapSecrets: resealValues,
  },
  {
    kind: 'stored responses',
    table: 'idempotent_responses',
    key: 'scope',
    column: 'sealed_response',
    where: 'sealed_response is not null and expires_at > now()',
    belongsTo: (scope) => `idempotent response ${scope}`,
    mapSecrets: resealText,
  },
];
