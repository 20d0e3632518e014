import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DataKeyWatch } from '../../../src/platform/crypto/data-key-watch.js';
import { openSecretBox, resealDataKey } from '../../../src/platform/crypto/data-key.js';
import { SecretBox } from '../../../src/platform/crypto/secret-box.js';
import type { SqlClient } from '../../../src/platform/database/sql-client.js';
import type { Readiness, ReadinessCheck } from '../../../src/platform/readiness.js';

const [former, current, foreign] = [SecretBox.generateKey(), SecretBox.generateKey(), SecretBox.generateKey()];
const idOf = (key: string) => new SecretBox(key).keyId;

/** The row that has the data key. */
class DataKeyRow {
  sealed: string | null = null;
  /** Another process stores this between the look and the write of this process. */
  meanwhile: (() => void) | null = null;

  readonly ask = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    if (text.startsWith('select')) return [{ sealed: this.sealed }] as unknown as Row[];
    this.meanwhile?.();
    this.meanwhile = null;
    const isWritten = this.sealed === (values[1] ?? null);
    if (isWritten) this.sealed = String(values[0]);
    return (isWritten ? [{ one: true }] : []) as Row[];
  };
}

describe('the data key in the database', () => {
  it('is created at the first start, and decrypted with the same master key at later starts', async () => {
    const row = new DataKeyRow();
    const sealed = (await openSecretBox(row.ask, [former])).seal('whsec_x', 'nc_1');
    expect(row.sealed).toMatch(new RegExp(`^${idOf(former)}\\.`));
    expect((await openSecretBox(row.ask, [former])).open(sealed, 'nc_1')).toBe('whsec_x');
    expect(sealed).not.toContain(idOf(former));
  });

  it('is the key of the first process if two processes start at once', async () => {
    const row = new DataKeyRow();
    const other = new DataKeyRow();
    const first = await openSecretBox(other.ask, [former]);
    row.meanwhile = () => (row.sealed = other.sealed);
    expect((await openSecretBox(row.ask, [former])).keyId).toBe(first.keyId);
  });

  it('cannot be decrypted without the master key that encrypted it, and the error names that key', async () => {
    const row = new DataKeyRow();
    await openSecretBox(row.ask, [former]);
    await expect(openSecretBox(row.ask, [current])).rejects.toThrow(
      `MASTER_KEY: the secrets of this database need the master key ${idOf(former)}: set it, or add it to MASTER_KEY_PREVIOUS`,
    );
  });

  it('stays the same when a new master key encrypts it, and no longer needs the old one', async () => {
    const row = new DataKeyRow();
    const before = await openSecretBox(row.ask, [former]);
    expect(await resealDataKey(row.ask, [current, former])).toBe(true);
    expect((await openSecretBox(row.ask, [current])).keyId).toBe(before.keyId);
    await expect(openSecretBox(row.ask, [former])).rejects.toThrow(idOf(current));
    expect(await resealDataKey(row.ask, [current, former])).toBe(false);
  });

  it('is not re-encrypted without its master key, or if another process has just changed it', async () => {
    const row = new DataKeyRow();
    await openSecretBox(row.ask, [former]);
    const before = row.sealed;
    await expect(resealDataKey(row.ask, [current])).rejects.toThrow(idOf(former));
    expect(row.sealed).toBe(before);
    const other = new DataKeyRow();
    await openSecretBox(other.ask, [foreign]);
    row.meanwhile = () => (row.sealed = other.sealed);
    expect(await resealDataKey(row.ask, [current, former])).toBe(false);
    expect(row.sealed).toBe(other.sealed);
  });
});

describe('a process that can no longer decrypt the data key', () => {
  it('logs one error and is not ready, until the data key is back', async () => {
    const said = [jest.spyOn(Logger.prototype, 'error'), jest.spyOn(Logger.prototype, 'log')];
    for (const spy of said) spy.mockImplementation(() => undefined);
    const row = new DataKeyRow();
    const box = await openSecretBox(row.ask, [former]);
    const checks = new Map<string, ReadinessCheck>();
    const readiness = { add: (name: string, check: ReadinessCheck) => checks.set(name, check) } as unknown as Readiness;
    const run = ({ text }: { text: string }) => row.ask(text);
    const watch = new DataKeyWatch({ run } as unknown as SqlClient, box, { masterKeys: [former] }, readiness);
    const ours = row.sealed;
    await watch.look();
    expect([watch.isLost, await checks.get('master_key')?.()]).toEqual([false, undefined]);

    const sealedElsewhere = new DataKeyRow();
    await openSecretBox(sealedElsewhere.ask, [foreign]);
    for (const other of [sealedElsewhere.sealed, null, `${String(ours).slice(0, -4)}AAAA`]) {
      row.sealed = other;
      await watch.look();
      expect(watch.isLost).toBe(true);
    }
    await expect(checks.get('master_key')?.()).rejects.toThrow('lost');
    row.sealed = ours;
    await watch.look();
    expect([watch.isLost, ...said.map((spy) => spy.mock.calls.length)]).toEqual([false, 1, 1]);
  });
});
