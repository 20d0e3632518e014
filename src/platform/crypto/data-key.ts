import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { SecretBox } from './secret-box.js';

/** Asks the database, in whatever session there is. */
export type Ask = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/**
 * The only row of its table. The data key seals all stored secrets, and a master key seals the data key: a new master
 * key changes this row alone.
 */
export interface DataKeyRow {
  /** null: it is one of the master keys that sealed everything before there was a data key. */
  readonly sealedKey: string | null;
  /** The ids of the master keys that stored secrets need; empty for none. */
  readonly adopts: readonly string[] | null;
}

const BELONGS_TO = 'the data key';
const READ = 'select sealed_key as "sealedKey", adopts from data_key';
const INSERT = 'insert into data_key (sealed_key) values ($1) on conflict do nothing';
const ADOPT = 'update data_key set sealed_key = $1, adopts = null where sealed_key is null';

export async function readDataKey(ask: Ask): Promise<DataKeyRow | null> {
  return (await ask<DataKeyRow>(READ))[0] ?? null;
}

/**
 * The box of the data key, which is made at the first start. Any number of processes may start at once.
 * @param masterKeys the first seals, all open
 * @throws InvalidConfigurationError naming the key that is missing
 */
export async function openSecretBox(ask: Ask, masterKeys: readonly string[]): Promise<SecretBox> {
  for (;;) {
    const row = await readDataKey(ask);
    const key = row === null ? SecretBox.generateKey() : openDataKey(row, masterKeys);
    if (row !== null && row.sealedKey !== null) return new SecretBox(key);
    await ask(row === null ? INSERT : ADOPT, [sealDataKey(key, masterKeys)]); // the row of whoever was first counts
  }
}

/** @throws InvalidConfigurationError naming the key that is missing */
export function openDataKey({ sealedKey, adopts }: DataKeyRow, masterKeys: readonly string[]): string {
  if (sealedKey !== null) {
    const [id = ''] = sealedKey.split('.');
    return new SecretBox(find(id, masterKeys)).open(sealedKey, BELONGS_TO);
  }
  const [id, ...others] = adopts ?? [];
  if (others.length > 0)
    throw new InvalidConfigurationError([
      `the secrets of this database are sealed with ${others.length + 1} master keys (${(adopts ?? []).join(', ')}): ` +
        'run "namewatch secrets reseal" with the version before, then start this one',
    ]);
  return id === undefined ? currentOf(masterKeys) : find(id, masterKeys);
}

/** Sealed with the current master key. */
function sealDataKey(key: string, masterKeys: readonly string[]): string {
  return new SecretBox(currentOf(masterKeys)).seal(key, BELONGS_TO);
}

/**
 * Seals the data key with the current master key instead of an earlier one; nothing else changes.
 * @returns false when it was already
 */
export async function resealDataKey(ask: Ask, masterKeys: readonly string[]): Promise<boolean> {
  const row = await readDataKey(ask);
  if (row === null || row.sealedKey?.startsWith(`${new SecretBox(currentOf(masterKeys)).keyId}.`)) return false;
  const sealed = sealDataKey(openDataKey(row, masterKeys), masterKeys);
  const written = await ask('update data_key set sealed_key = $1, adopts = null where sealed_key = $2 returning one', [
    sealed,
    row.sealedKey,
  ]);
  return written.length > 0;
}

export function masterKeyIds(masterKeys: readonly string[]): string[] {
  return masterKeys.map((key) => new SecretBox(key).keyId);
}

function find(id: string, masterKeys: readonly string[]): string {
  const found = masterKeys.find((key) => new SecretBox(key).keyId === id);
  if (found === undefined)
    throw new InvalidConfigurationError([
      `MASTER_KEY: the secrets of this database need the master key ${id}: set it, or add it to MASTER_KEY_PREVIOUS`,
    ]);
  return found;
}

function currentOf([current]: readonly string[]): string {
  if (current === undefined) throw new Error('there is no master key to seal with');
  return current;
}
