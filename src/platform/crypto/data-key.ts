import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { SecretBox } from './secret-box.js';

/** A function that runs a statement, in a pool or in a session. */
export type Ask = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

const BELONGS_TO = 'the data key';
const READ = 'select sealed_data_key as sealed from database_state';
const MAKE = 'update database_state set sealed_data_key = $1 where sealed_data_key is null';
const RESEAL = 'update database_state set sealed_data_key = $1 where sealed_data_key = $2 returning one';

/** Returns the encrypted key of all stored secrets (data key), or null before the first start. */
export async function readSealedDataKey(ask: Ask): Promise<string | null> {
  return (await ask<{ sealed: string | null }>(READ))[0]?.sealed ?? null;
}

/**
 * Decrypts the data key with a master key, or creates the data key at the first start.
 * @param masterKeys the current key first; earlier keys only decrypt
 * @throws InvalidConfigurationError naming the master key that is missing
 */
export async function openSecretBox(ask: Ask, masterKeys: readonly string[]): Promise<SecretBox> {
  for (;;) {
    const sealed = await readSealedDataKey(ask);
    if (sealed !== null) return new SecretBox(openDataKey(sealed, masterKeys));
    await ask(MAKE, [sealDataKey(SecretBox.generateKey(), masterKeys)]); // has no effect if another process was first
  }
}

/** @throws InvalidConfigurationError naming the master key that is missing */
export function openDataKey(sealed: string, masterKeys: readonly string[]): string {
  const [id = ''] = sealed.split('.');
  return new SecretBox(find(id, masterKeys)).open(sealed, BELONGS_TO);
}

function sealDataKey(key: string, masterKeys: readonly string[]): string {
  return new SecretBox(currentOf(masterKeys)).seal(key, BELONGS_TO);
}

/** Encrypts the data key with the current master key. @returns false if there was nothing to change */
export async function resealDataKey(ask: Ask, masterKeys: readonly string[]): Promise<boolean> {
  const sealed = await readSealedDataKey(ask);
  if (sealed === null || sealed.startsWith(`${new SecretBox(currentOf(masterKeys)).keyId}.`)) return false;
  const written = await ask(RESEAL, [sealDataKey(openDataKey(sealed, masterKeys), masterKeys), sealed]);
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
