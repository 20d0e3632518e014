import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInProcess } from '../../support/programs/command-line.js';

const ROOT = join(import.meta.dirname, '../../..');
const PORTS = readdirSync(join(ROOT, 'examples/templates')).filter((name) => !name.includes('.'));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'extension-new-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const begin = (name: string, ...words: string[]) =>
  runInProcess(['extension', 'new', join(folder, name), ...words], {});

/** Maps the path of each file to its text. */
function read(name: string): Record<string, string> {
  const files = readdirSync(join(folder, name), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = files.map((one) => join(one.parentPath, one.name)).sort();
  return Object.fromEntries(
    paths.map((path) => [path.slice(join(folder, name).length + 1), readFileSync(path, 'utf8')]),
  );
}

// The check of extensions, with the packed package, shows that they compile and pass their own tests.
describe('namewatch extension new', () => {
  it.each(PORTS)('uses the given name in all files of the template %s', async (port) => {
    expect(await begin('acme-east', '--port', port)).toEqual({
      code: 0,
      out: `The extension acme-east is in ${join(folder, 'acme-east')}. Next, there: npm install && npm test`,
      err: '',
    });
    const files = read('acme-east');
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['.gitignore', 'README.md', 'package.json', 'src/extension.ts', 'test/extension.test.ts']),
    );
    expect(files['src/extension.ts']).toContain(`name: 'acme-east'`);
    expect(files['src/extension.ts']).toContain(`compatibility: '^${version}'`);
    for (const text of Object.values(files)) expect(text).not.toMatch(/my.extension/i);
  });

  it('makes a channel type for the running version by default', async () => {
    await begin('pager');
    const files = read('pager');
    expect(files['src/extension.ts']).toContain('channelSenders');
    expect(JSON.parse(files['package.json'] ?? '')).toMatchObject({
      name: 'namewatch-pager',
      peerDependencies: { namewatch: `^${version}` },
      devDependencies: { namewatch: version },
    });
  });

  it('makes the extension depend on a given tarball by its relative path', async () => {
    const tarball = join(folder, 'namewatch-1.0.0.tgz');
    writeFileSync(tarball, '');
    await begin('pager', '--namewatch', tarball);
    const { devDependencies } = JSON.parse(read('pager')['package.json'] ?? '') as { devDependencies: object };
    expect(devDependencies).toMatchObject({ namewatch: 'file:../namewatch-1.0.0.tgz' });
  });

  it('accepts an existing empty folder, and a name different from the folder’s', async () => {
    mkdirSync(join(folder, 'work'));
    expect(await begin('work', '--name', 'acme-pager', '--port', 'task')).toMatchObject({ code: 0 });
    expect(read('work')['src/settings.ts']).toContain("'ACME_PAGER_URL'");
  });

  it.each([
    ['a reserved name', ['watchlist'], '--name: the extension name watchlist begins with a word of the service'],
    [
      'a name with a capital letter',
      ['Pager'],
      '--name: the extension name "Pager" is not 2 to 40 lower-case letters, digits and "-"',
    ],
    ['an invalid --name', ['pager', '--name', 'a/../b'], '--name: the extension name "a/../b" is not'],
    ['an unknown --port', ['pager', '--port', 'sender'], "argument 'sender' is invalid. Allowed choices are channel,"],
    ['a missing tarball', ['pager', '--namewatch', 'x.tgz'], '--namewatch is a version or an existing .tgz file'],
    [
      'a git URL in place of a version',
      ['pager', '--namewatch', 'git+ssh://x'],
      '--namewatch is a version or an existing .tgz file',
    ],
  ])('refuses %s, and writes nothing', async (_what, [name = '', ...words], sentence) => {
    const { code, err } = await begin(name, ...words);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(sentence) });
    expect(existsSync(join(folder, name))).toBe(false);
  });

  it('refuses a folder that has files, and a path that is a file', async () => {
    mkdirSync(join(folder, 'pager'));
    writeFileSync(join(folder, 'pager/notes.txt'), 'mine');
    writeFileSync(join(folder, 'memo'), 'mine');
    expect(await begin('pager')).toEqual({
      code: 2,
      out: '',
      err: `${join(folder, 'pager')} is not empty: name another folder`,
    });
    expect(await begin('memo')).toMatchObject({
      code: 2,
      err: expect.stringContaining('memo is a file: name another'),
    });
    expect(read('pager')).toEqual({ 'notes.txt': 'mine' });
  });
});
