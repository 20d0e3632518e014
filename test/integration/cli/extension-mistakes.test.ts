import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ExtensionPackages } from '../../support/builders/extension-packages.js';
import { until } from '../../../src/testing.js';
import { migrate } from '../../../src/app/migrate.js';
import { freshDatabase, migratedDatabase } from '../../support/database/database.js';
import { configFor } from '../platform/migration-steps.js';
import { runInProcess } from '../../support/programs/command-line.js';

let packages: ExtensionPackages;
beforeEach(() => {
  packages = ExtensionPackages.create();
});
afterEach(() => packages.delete());

const { PATH = '' } = process.env;
const run = (words: readonly string[], EXTENSIONS: string) =>
  runInProcess(words, { PATH, EXTENSIONS, DATA_DIR: join(packages.folder, 'data'), PORT: '0' });

/** Commands that start the service, work on its database or look up a name. */
const COMMANDS = [
  ['up'],
  ['migrate'],
  ['account', 'create', '--name', 'x'],
  ['key', 'list', '--account', 'acc_0'],
  ['secrets', 'rotate'],
  ['explain', 'available.test'],
];

describe('an extension', () => {
  it.each(COMMANDS.map((words) => ({ words })))(
    'makes the command $words exit with one sentence if the extension cannot be loaded',
    async ({ words }) => {
      packages.install('acme', `(() => { throw new Error('no licence') })()`);
      const { code, out, err } = await run(words, 'acme');
      expect({ code, out, err }).toEqual({ code: 78, out: '', err: 'EXTENSIONS: cannot load acme: no licence' });
      expect(existsSync(join(packages.folder, 'data'))).toBe(false);
    },
  );

  it('is reported by namewatch doctor if the extension is incompatible or missing', async () => {
    packages.install('acme', `defineExtension({ name: 'acme', compatibility: '*' })`, '4.5.6');
    const found = await run(['doctor'], 'acme');
    expect(found.out).toMatch(/^ok {4}extension +acme 4\.5\.6, works with Namewatch \*$/m);
    packages.install('other', `defineExtension({ name: 'other', compatibility: '^99.0.0' })`);
    const { code, out } = await run(['doctor'], 'other,missing');
    expect(out).toMatch(/^FAIL {2}extension +the extension other works with Namewatch \^99\.0\.0, and this is \d/m);
    expect(out).toMatch(/^FAIL {2}extension +EXTENSIONS: cannot load missing: /m);
    expect(code).toBe(1);
  });

  describe('while the service starts', () => {
    const waiting = globalThis as { failLedger?: (reason: Error) => void };
    const withDatabase = async (words: readonly string[], providers: string, url?: string) => {
      packages.install(
        'acme',
        `defineExtension({ name: 'acme', compatibility: '*', module: { module: class Acme {}, providers: [${providers}] } })`,
      );
      const settings = {
        DATABASE_URL: url ?? (await freshDatabase()),
        MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      };
      return runInProcess(words, {
        PATH,
        EXTENSIONS: 'acme',
        DATA_DIR: join(packages.folder, 'data'),
        PORT: '0',
        ...settings,
      });
    };
    const HOOK = `class Ledger { onModuleInit() { throw new Error('no vault\\nat all'); } }`;
    const FACTORY = `{ provide: 'vault', useFactory: () => { throw new Error('no vault'); } }`;

    it.each([
      ['up', HOOK],
      ['account list', HOOK],
      ['up', FACTORY],
      ['account list', FACTORY],
    ])('makes namewatch %s print its error below the loaded extensions (case %#)', async (command, providers) => {
      const { code, err } = await withDatabase(command.split(' '), providers);
      expect(code).toBe(78);
      expect(err).toMatch(/^extensions loaded: acme 1\.2\.3\nError: no vault\n/);
    });

    it('is reported by namewatch doctor if it throws an error', async () => {
      const url = await migratedDatabase('for_extensions', (made) => migrate(configFor(made)));
      const { code, out } = await withDatabase(['doctor'], FACTORY, url);
      expect(code).toBe(1);
      expect(out).toMatch(
        /^FAIL {2}extension {3}extensions loaded: acme 1\.2\.3\nFAIL {2}extension {3}Error: no vault$/m,
      );
    });

    it.each(['up', 'account list'])(
      'makes namewatch %s print the message of NestJS if a dependency is missing',
      async (command) => {
        const unknown = `{ provide: 'vault', inject: ['key of the vault'], useFactory: () => null }`;
        const { code, out, err } = await withDatabase(command.split(' '), unknown);
        expect({ code, out }).toEqual({ code: 78, out: '' });
        expect(err).toMatch(/^extensions loaded: acme 1\.2\.3\n.*Nest can't resolve dependencies of the vault/);
      },
    );

    it('lets SIGTERM stop the service while the extension is still waiting', async () => {
      const hook = `class Ledger {
        onModuleInit() { return new Promise((_, reject) => { globalThis.failLedger = reject; }); }
      }`;
      const up = withDatabase(['up'], hook);
      await until(() => waiting.failLedger);
      process.listeners('SIGTERM').at(-1)?.('SIGTERM');
      expect(await up).toMatchObject({ code: 0, err: '' });
      waiting.failLedger?.(new Error('what this process left behind is closed'));
    });
  });

  it('can answer lookups of commands that open no database, even if its module needs the service', async () => {
    packages.write(
      'node_modules/acme-source/package.json',
      '{"name":"acme-source","type":"module","exports":"./index.js"}',
    );
    packages.write(
      'node_modules/acme-source/index.js',
      `import { AuditTrail, defineExtension, found, LookupSource } from 'namewatch';
      class Acme extends LookupSource {
        name = 'acme';
        role = 'only';
        constructor(trail) {
          super();
          if (!(trail instanceof AuditTrail)) throw new Error('no audit trail');
        }
        servers = () => new Map([['acme', { host: '127.0.0.1', port: 9 }]]);
        ask = () => Promise.resolve({
          kind: 'facts', facts: found({ statuses: ['ok'] }), rule: 'record', excerpt: 'a record', httpStatus: 200,
        });
      }
      Reflect.defineMetadata('design:paramtypes', [AuditTrail], Acme);
      const ledger = { provide: 'ledger', inject: ['only the service has it'], useFactory: () => null };
      export default defineExtension({
        name: 'acme', compatibility: '*', lookupSources: [Acme], module: { module: class Ledgers {}, providers: [ledger] },
      });`,
    );
    const explained = await run(['explain', 'example.acme'], 'acme-source');
    expect(explained).toMatchObject({ code: 0, out: expect.stringMatching(/^example\.acme: registered/) });
    expect((await run(['doctor'], 'acme-source')).out).toMatch(/^(ok|FAIL) +acme /m);
  });

  it('does not stop commands that only call the API if the extension is missing', async () => {
    expect(await run(['--version'], 'missing')).toMatchObject({ code: 0, err: '' });
    expect((await run(['whoami'], 'missing')).err).not.toContain('EXTENSIONS');
  });
});
