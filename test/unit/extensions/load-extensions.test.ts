import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { InvalidConfigurationError } from '../../../src/config/invalid-configuration.error.js';
import { loadExtensions } from '../../../src/extensions/load-extensions.js';
import { ExtensionPackages } from '../../support/builders/extension-packages.js';

let packages: ExtensionPackages;
beforeAll(() => {
  packages = ExtensionPackages.create();
  packages.install('@acme/first', defined('first'));
  packages.install('second', defined('second'), '2.0.0');
  packages.write('own/third.mjs', `import { defineExtension } from 'namewatch';\nexport default ${defined('third')};`);
  packages.write('folder/package.json', '{"name":"@acme/folder","type":"module","main":"lib/index.js"}');
  packages.write('folder/lib/index.js', `export { default } from '../../own/third.mjs';`);
  packages.write('exporting/package.json', '{"name":"exporting","version":"3.1.0","exports":{"import":"./entry.mjs"}}');
  packages.write('exporting/entry.mjs', `export { default } from '../own/third.mjs';`);
});
afterAll(() => packages.delete());

function defined(name: string): string {
  return `defineExtension({ name: '${name}', compatibility: '*' })`;
}

const load = (...extensions: string[]) => loadExtensions({ extensions, environment: {} });
const namesOf = async (...extensions: string[]) => (await load(...extensions)).all.map(({ name }) => name);

async function problemsOf(...extensions: string[]): Promise<readonly string[]> {
  const error: unknown = await load(...extensions).catch((reason: unknown) => reason);
  if (error instanceof InvalidConfigurationError) return error.problems;
  throw new Error('they were loaded');
}

describe('the setting EXTENSIONS', () => {
  it('loads packages of the working directory in the order given', async () => {
    expect(await namesOf('@acme/first', 'second')).toEqual(['first', 'second']);
    expect(await namesOf('second', '@acme/first')).toEqual(['second', 'first']);
  });

  it('collects the declared scopes of several extensions in the order given', async () => {
    for (const [name, scopes] of Object.entries({ one: `'one:a', 'one:b'`, two: `'two:c'` }))
      packages.install(name, `defineExtension({ name: '${name}', compatibility: '*', scopes: [${scopes}] })`);
    const collected = async (...names: string[]) => (await load(...names)).collect('scopes');
    expect(await collected('one', 'two')).toEqual(['one:a', 'one:b', 'two:c']);
    expect(await collected('two', 'second', 'one')).toEqual(['two:c', 'one:a', 'one:b']);
  });

  it.each([
    ['a file', './own/third.mjs'],
    ['a folder with main', './folder'],
    ['a folder with exports', './exporting'],
  ])('loads %s by its relative or absolute path', async (_what, path) => {
    expect(await namesOf(path)).toEqual(['third']);
    expect(await namesOf(join(packages.folder, path))).toEqual(['third']);
  });

  it('knows the package version of each extension, or null without one', async () => {
    const { all, versionOf } = await load('@acme/first', 'second').then((loaded) => ({
      all: loaded.all,
      versionOf: loaded.versionOf.bind(loaded),
    }));
    expect(all.map(versionOf)).toEqual(['1.2.3', '2.0.0']);
    const [third] = (await load('./folder')).all;
    expect(third && versionOf(third)).toBeNull();
  });

  it('reads a path without ./ as a package name, and explains how to write the path', async () => {
    expect(await problemsOf('own/third.mjs')).toEqual([
      `EXTENSIONS: cannot load own/third.mjs: no such package in ${packages.folder} or beside Namewatch; ` +
        'for the path write ./own/third.mjs',
    ]);
  });

  it('reports all mistakes of all extensions together', async () => {
    packages.install('wrong', `defineExtension({ name: 'wrong', compatibility: '^99.0.0', chanelSenders: [] })`);
    packages.install('late', `defineExtension({ name: 'late', compatibility: '^99.0.0' })`);
    expect(await problemsOf('missing', 'wrong', 'late', 'second', 'second')).toEqual([
      `EXTENSIONS: cannot load missing: no such package in ${packages.folder} or beside Namewatch`,
      'the extension wrong declares chanelSenders, which is no member of an extension; channelSenders is',
      expect.stringMatching(/^the extension late works with Namewatch \^99\.0\.0, and this is \d/),
      'two extensions have the name second',
    ]);
  });
});
