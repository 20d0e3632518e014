import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ExtensionPackages } from '../../support/builders/extension-packages.js';
import { askDatabase, freshDatabase } from '../../support/database/database.js';
import { runInProcess } from '../../support/programs/command-line.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(180_000); // PostgreSQL starts, also on a busy machine

const elsewhere = openFolder();
afterAll(() => removeFolders());
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

const run = (words: string[], settings: Record<string, string> = {}) =>
  runInProcess(words, { PATH: process.env.PATH ?? '', DATA_DIR: openFolder(), ...settings });
const restore = (from: string, to: string, settings: Record<string, string> = {}) =>
  run(['restore', from], { DATA_DIR: to, ...settings });

const MIGRATIONS = join(import.meta.dirname, '../../../node_modules/@mikro-orm/migrations/index.js');
const LEDGER = `(() => {
  class CreateRows extends Migration {
    up() { this.addSql('create table ledger_rows (id bigint generated always as identity, note text); ' +
      "insert into ledger_rows (note) values ('the first')"); }
  }
  return defineExtension({ name: 'ledger', compatibility: '*', migrations: [{ name: 'CreateRows', class: CreateRows }] });
})()`;

describe('tables of extensions in a backup', () => {
  let packages: ExtensionPackages;
  const withLedger = { EXTENSIONS: 'ledger' };
  const ledger = join(elsewhere, 'ledger');
  beforeAll(async () => {
    packages = ExtensionPackages.create();
    packages.install('ledger', 'null');
    const imports = [`import { defineExtension } from 'namewatch';`, `import { Migration } from '${MIGRATIONS}';`];
    packages.write('node_modules/ledger/index.js', [...imports, `export default ${LEDGER};`].join('\n'));
    const source = { DATABASE_URL: await freshDatabase(), MASTER_KEY, ...withLedger };
    expect(await run(['migrate'], source)).toMatchObject({ code: 0, err: '' });
    await askDatabase(source.DATABASE_URL, `insert into ledger_rows (note) values ('the second')`);
    await askDatabase(source.DATABASE_URL, 'create table by_hand as select 1 as n');
    expect(await run(['backup', ledger], source)).toMatchObject({ code: 0, err: '' });
  });
  afterAll(() => packages.delete());

  it('make a restore fail with their names if no configured extension creates them', async () => {
    const refused = await restore(ledger, join(elsewhere, 'without'));
    expect(refused).toMatchObject({
      code: 5,
      err: expect.stringMatching(/EXTENSIONS does not name: ledger; .*--without-extensions/),
    });
    expect(existsSync(join(elsewhere, 'without'))).toBe(false);
    const byHand = await restore(ledger, join(elsewhere, 'without'), withLedger);
    expect(byHand).toMatchObject({
      code: 5,
      err: expect.stringMatching(/no migration makes: by_hand; .*--without-extensions/),
    });
  });

  it('are left out by a restore with --without-extensions', async () => {
    const target = { DATABASE_URL: await freshDatabase(), MASTER_KEY };
    expect(await run(['restore', ledger, '--without-extensions'], target)).toMatchObject({ code: 0, err: '' });
    expect(
      await askDatabase(target.DATABASE_URL, `select from pg_class where relname in ('ledger_rows', 'by_hand')`),
    ).toEqual([]);
  });

  it('are restored with all their rows if the extension is configured', async () => {
    const target = { DATABASE_URL: await freshDatabase(), MASTER_KEY, ...withLedger };
    expect(await run(['restore', ledger, '--without-extensions'], target)).toMatchObject({ code: 0, err: '' });
    await askDatabase(target.DATABASE_URL, `insert into ledger_rows (note) values ('the third')`);
    expect(await askDatabase(target.DATABASE_URL, 'select id::int, note from ledger_rows order by id')).toEqual([
      { id: 1, note: 'the first' },
      { id: 2, note: 'the second' },
      { id: 3, note: 'the third' },
    ]);
  });
});
