import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DataKeyWatch } from '../../../src/platform/crypto/data-key-watch.js';
import { type DataKeyRow, openSecretBox, resealDataKey } from '../../../src/platform/crypto/data-key.js';
import { SecretBox } from '../../../src/platform/crypto/secret-box.js';
import type { SqlClient } from '../../../src/platform/database/sql-client.js';
import type { Readiness, ReadinessCheck } from '../../../src/platform/readiness.js';

const [former, current, foreign] = [SecretBox.generateKey(), SecretBox.generateKey(), SecretBox.generateKey()];
const idOf = (key: string) => new SecretBox(key).keyId;

/** The table of the data key, with what a migration left in it. */
class DataKeyTable {
  row: DataKeyRow | null;
  /** Another process stores this between the look and the write of this process. */
  meanwhile: (() => void) | null = null;

  constructor(adopts: readonly string[] | null = null) {
    this.row = adopts && { sealedKey: null, adopts };
  }

  readonly ask = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    const found = this.row;
    if (text.startsWith('select')) return (found ? [found] : []) as Row[];
    this.meanwhile?.();
    this.meanwhile = null;
    const isWritten = text.startsWith('insert')
      ? this.row === null
      : this.row !== null && this.row.sealedKey === (text.includes('$2') ? values[1] : null);
    if (isWritten) this.row = { sealedKey: String(values[0]), adopts: null };
    return (isWritten ? [{ one: true }] : []) as Row[];
  };
}

describe('the data key', () => {
  it('is made by the first start, and opened by every other one, with the master key alone', async () => {
    const table = new DataKeyTable();
    const sealed = (await openSecretBox(table.ask, [former])).seal('whsec_x', 'nc_1');
    expect(table.row?.sealedKey).toMatch(new RegExp(`^${idOf(former)}\\.`));
    expect((await openSecretBox(table.ask, [former])).open(sealed, 'nc_1')).toBe('whsec_x');
    expect(sealed).not.toContain(idOf(former));
  });

  it('is that of the process that was first, when two start at once', async () => {
    const table = new DataKeyTable();
    const other = new DataKeyTable();
    const first = await openSecretBox(other.ask, [former]);
    table.meanwhile = () => (table.row = other.row);
    expect((await openSecretBox(table.ask, [former])).keyId).toBe(first.keyId);
  });

  it('does not open without the master key that sealed it, which is named', async () => {
    const table = new DataKeyTable();
    await openSecretBox(table.ask, [former]);
    await expect(openSecretBox(table.ask, [current])).rejects.toThrow(
      `MASTER_KEY: the secrets of this database need the master key ${idOf(former)}: set it, or add it to MASTER_KEY_PREVIOUS`,
    );
  });

  it('stays the same when a new master key seals it, and needs the former one no more', async () => {
    const table = new DataKeyTable();
    const before = await openSecretBox(table.ask, [former]);
    expect(await resealDataKey(table.ask, [current, former])).toBe(true);
    expect((await openSecretBox(table.ask, [current])).keyId).toBe(before.keyId);
    await expect(openSecretBox(table.ask, [former])).rejects.toThrow(idOf(current));
    expect(await resealDataKey(table.ask, [current, former])).toBe(false);
  });

  it('is changed neither by a process without the key that seals it, nor by a late process', async () => {
    const table = new DataKeyTable();
    await openSecretBox(table.ask, [former]);
    const before = table.row;
    await expect(resealDataKey(table.ask, [current])).rejects.toThrow(idOf(former));
    expect(table.row).toBe(before);
    const other = new DataKeyTable();
    await openSecretBox(other.ask, [foreign]);
    table.meanwhile = () => (table.row = other.row);
    expect(await resealDataKey(table.ask, [current, former])).toBe(false);
    expect(table.row).toBe(other.row);
  });
});

describe('a database from before there was a data key', () => {
  it.each([
    ['has nothing that is sealed', [], current],
    ['was sealed with the current master key', [idOf(current)], current],
    ['was sealed with the former one', [idOf(former)], former],
  ])('that %s keeps the key which sealed its cursors and links', async (_, adopts, kept) => {
    const table = new DataKeyTable(adopts);
    expect((await openSecretBox(table.ask, [current, former])).keyId).toBe(idOf(kept));
    expect((await openSecretBox(table.ask, [current])).keyId).toBe(idOf(kept));
  });

  it('is refused without the key that sealed it', async () => {
    const table = new DataKeyTable([idOf(former)]);
    await expect(openSecretBox(table.ask, [current])).rejects.toThrow(`need the master key ${idOf(former)}`);
  });

  it('is refused where two keys sealed it, with what to do', async () => {
    const table = new DataKeyTable([idOf(former), idOf(current)]);
    await expect(openSecretBox(table.ask, [current, former])).rejects.toThrow(
      /are sealed with 2 master keys \(\w+, \w+\): run "namewatch secrets reseal" with the version before, then start this one$/,
    );
  });
});

describe('a process whose master key no longer opens the data key', () => {
  it('is not ready, says so once, and goes on when the key is there again', async () => {
    const said = [jest.spyOn(Logger.prototype, 'error'), jest.spyOn(Logger.prototype, 'log')];
    for (const spy of said) spy.mockImplementation(() => undefined);
    const table = new DataKeyTable();
    const box = await openSecretBox(table.ask, [former]);
    const checks = new Map<string, ReadinessCheck>();
    const readiness = { add: (name: string, check: ReadinessCheck) => checks.set(name, check) } as unknown as Readiness;
    const run = ({ text }: { text: string }) => table.ask(text);
    const watch = new DataKeyWatch({ run } as unknown as SqlClient, box, { masterKeys: [former] }, readiness);
    const ours = table.row;
    await watch.look();
    expect([watch.isLost, await checks.get('master_key')?.()]).toEqual([false, undefined]);

    const sealedElsewhere = new DataKeyTable();
    await openSecretBox(sealedElsewhere.ask, [foreign]);
    for (const other of [
      sealedElsewhere.row,
      null,
      { sealedKey: `${String(ours?.sealedKey).slice(0, -4)}AAAA`, adopts: null },
    ]) {
      table.row = other;
      await watch.look();
      expect(watch.isLost).toBe(true);
    }
    await expect(checks.get('master_key')?.()).rejects.toThrow('lost');
    table.row = ours;
    await watch.look();
    expect([watch.isLost, ...said.map((spy) => spy.mock.calls.length)]).toEqual([false, 1, 1]);
  });
});
