import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { loadExtensions } from '../../../src/extensions/load-extensions.js';
import { ExtensionPackages } from '../../support/builders/extension-packages.js';

let packages: ExtensionPackages;
beforeEach(() => {
  packages = ExtensionPackages.create();
});
afterEach(() => packages.delete());

/** The mistake, the default export that makes it, and the sentence that says so. */
const MISTAKES: [string, string | null, RegExp][] = [
  ['is missing', null, /^EXTENSIONS: cannot load acme: no such package in \S+ or beside Namewatch$/],
  ['throws', `(() => { throw new Error('no licence\\nsince May') })()`, /^EXTENSIONS: cannot load acme: no licence$/],
  ['throws a string', `(() => { throw 'no licence' })()`, /^EXTENSIONS: cannot load acme: no licence$/],
  ['exports nothing', 'undefined', /^EXTENSIONS: acme has no default export$/],
  [
    'exports a plain object',
    `{ name: 'acme', compatibility: '*' }`,
    /^EXTENSIONS: the default export of acme was not made by defineExtension$/,
  ],
  [
    'has its own copy of the package namewatch',
    `{ [Symbol.for('namewatch.extension')]: 'file:///srv/acme/node_modules/namewatch/dist/extensions/extension.js' }`,
    /^EXTENSIONS: acme uses another installation of namewatch, \/srv\/acme\/node_modules\/namewatch\/, and this is \S+$/,
  ],
  [
    'has a malformed name',
    `defineExtension({ name: 'Acme!', compatibility: '*' })`,
    /^the extension name "Acme!" is not 2 to 40 lower-case letters, digits and "-"$/,
  ],
  [
    'is for other versions of Namewatch',
    `defineExtension({ name: 'acme', compatibility: '^99.0.0' })`,
    /^the extension acme works with Namewatch \^99\.0\.0, and this is \d+\.\d+\.\d+$/,
  ],
  [
    'has an invalid version range',
    `defineExtension({ name: 'acme', compatibility: 'latest' })`,
    /^the compatibility of the extension acme is not a semver range: "latest"$/,
  ],
];

it.each(MISTAKES)('an extension that %s is refused with one error message', async (_, source, sentence) => {
  if (source !== null) packages.install('acme', source);
  await expect(loadExtensions({ extensions: ['acme'], environment: {} })).rejects.toMatchObject({
    problems: [expect.stringMatching(sentence)],
  });
});
