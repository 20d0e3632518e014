import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ExtensionPackages } from '../../support/builders/extension-packages.js';
import { runInProcess } from '../../support/programs/command-line.js';

let packages: ExtensionPackages;
beforeEach(() => {
  packages = ExtensionPackages.create();
});
afterEach(() => packages.delete());

const { PATH = '' } = process.env;
const run = (words: readonly string[], EXTENSIONS: string) =>
  runInProcess(words, { PATH, EXTENSIONS, DATA_DIR: join(packages.folder, 'data'), PORT: '0' });

/** Whatever starts the service, works on its database or looks up a name. */
const COMMANDS = [
  ['up'],
  ['migrate'],
  ['account', 'create', '--name', 'x'],
  ['key', 'list', '--account', 'acc_0'],
  ['secrets', 'reseal'],
  ['explain', 'available.test'],
];

/** What is wrong, the default export that is, and the sentence that says so. */
const MISTAKES: [string, string | null, RegExp][] = [
  ['is missing', null, /^EXTENSIONS: cannot load acme: no such package in \S+ or beside Namewatch$/],
  ['throws', `(() => { throw new Error('no licence\\nsince May') })()`, /^EXTENSIONS: cannot load acme: no licence$/],
  ['throws a text', `(() => { throw 'no licence' })()`, /^EXTENSIONS: cannot load acme: no licence$/],
  ['exports nothing', 'undefined', /^EXTENSIONS: acme has no default export$/],
  [
    'exports something else',
    `{ name: 'acme', compatibility: '*' }`,
    /^EXTENSIONS: the default export of acme was not made by defineExtension$/,
  ],
  [
    'brings a namewatch of its own',
    `{ [Symbol.for('namewatch.extension')]: 'file:///srv/acme/node_modules/namewatch/dist/extensions/extension.js' }`,
    /^EXTENSIONS: acme uses another installation of namewatch, \/srv\/acme\/node_modules\/namewatch\/, and this is \S+$/,
  ],
  [
    'has a malformed name',
    `defineExtension({ name: 'Acme!', compatibility: '*' })`,
    /^the extension name "Acme!" is not lower-case letters, digits and "-"$/,
  ],
  [
    'is for other versions',
    `defineExtension({ name: 'acme', compatibility: '^99.0.0' })`,
    /^the extension acme works with Namewatch \^99\.0\.0, and this is \d+\.\d+\.\d+$/,
  ],
  [
    'names no versions',
    `defineExtension({ name: 'acme', compatibility: 'latest' })`,
    /^the compatibility of the extension acme is not a semver range: "latest"$/,
  ],
  [
    'declares no array',
    `defineExtension({ name: 'acme', compatibility: '*', subscribers: class {} })`,
    /^subscribers of the extension acme has to be an array of classes$/,
  ],
  [
    'misspells a member',
    `defineExtension({ name: 'acme', compatibility: '*', lookupSource: [] })`,
    /^the extension acme declares lookupSource, which is no member of an extension; lookupSources is$/,
  ],
];

describe('an extension that', () => {
  it.each(MISTAKES)('%s stops every command with one sentence, before anything starts', async (_, source, sentence) => {
    if (source !== null) packages.install('acme', source);
    for (const words of COMMANDS) {
      const { code, out, err } = await run(words, 'acme');
      expect(err).toMatch(sentence);
      expect({ words, code, out }).toEqual({ words, code: 78, out: '' });
    }
    expect(existsSync(join(packages.folder, 'data'))).toBe(false);
  });

  it('cannot be used is a finding of doctor', async () => {
    packages.install('acme', `defineExtension({ name: 'acme', compatibility: '*' })`, '4.5.6');
    const found = await run(['doctor'], 'acme');
    expect(found.out).toMatch(/^ok {4}extension +acme 4\.5\.6, works with Namewatch \*$/m);
    packages.install('other', `defineExtension({ name: 'other', compatibility: '^99.0.0' })`);
    const { code, out } = await run(['doctor'], 'other,missing');
    expect(out).toMatch(/^FAIL {2}extension +the extension other works with Namewatch \^99\.0\.0, and this is \d/m);
    expect(out).toMatch(/^FAIL {2}extension +EXTENSIONS: cannot load missing: /m);
    expect(code).toBe(1);
  });

  it('is missing does not keep the API’s clients from working', async () => {
    expect(await run(['--version'], 'missing')).toMatchObject({ code: 0, err: '' });
    expect((await run(['whoami'], 'missing')).err).not.toContain('EXTENSIONS');
  });
});
