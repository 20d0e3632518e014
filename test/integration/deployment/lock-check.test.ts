import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const locked = (version: string, more: object = {}) => ({ version, integrity: 'sha512-AAAA', ...more });

/** A project of two packages, one of which has a build for each platform. */
const manifest = { dependencies: { swc: '1.16.18' }, devDependencies: { seven: 'npm:typescript@7.0.2' } };
const packages = {
  '': { version: '0.1.0', ...manifest },
  'node_modules/swc': locked('1.16.18', { optionalDependencies: { 'swc-linux': '1.16.18', 'swc-mac': '1.16.18' } }),
  'node_modules/swc-linux': locked('1.16.18'),
  'node_modules/swc/node_modules/swc-mac': locked('1.16.18'),
  'node_modules/seven': locked('7.0.2'),
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-check-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function check(project: object, lock: object) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages: lock }));
  return run(folder);
}

function run(checked: string) {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/lock-check.mjs'), checked], {
    encoding: 'utf8',
  });
  return { status, problems: stderr.split('\n').filter((line) => line !== '') };
}

const without = (path: keyof typeof packages) =>
  Object.fromEntries(Object.entries(packages).filter(([name]) => name !== path));

describe('the lock check', () => {
  it('passes a lock that is whole', () => {
    expect(check(manifest, packages)).toEqual({ status: 0, problems: [] });
  });

  it.each(['.', 'tools'])('passes the lock of this project in %s', (locked) => {
    expect(run(join(ROOT, locked))).toEqual({ status: 0, problems: [] });
  });

  it.each(['node_modules/swc-linux', 'node_modules/swc/node_modules/swc-mac'] as const)(
    'names the optional package that npm dropped: %s',
    (path) => {
      const name = path.replace(/.*\//, '');
      const problems = [`node_modules/swc@1.16.18: optional ${name}@1.16.18 is not in the lock`];
      expect(check(manifest, without(path))).toEqual({ status: 1, problems });
    },
  );

  it('does not take a package inside a stranger’s folder for the one dropped', () => {
    const lock = {
      ...without('node_modules/swc-linux'),
      'node_modules/seven/node_modules/swc-linux': locked('1.16.18'),
    };
    expect(check(manifest, lock).status).toBe(1);
  });

  it('names an optional package of the project itself that npm dropped', () => {
    const project = { ...manifest, optionalDependencies: { 'node-mac': '24.18.1' } };
    const lock = { ...packages, '': { version: '0.1.0', ...project } };
    const problems = ['package.json@0.1.0: optional node-mac@24.18.1 is not in the lock'];
    expect(check(project, lock)).toEqual({ status: 1, problems });
  });

  it('names download addresses', () => {
    const lock = {
      ...packages,
      'node_modules/seven': locked('7.0.2', { resolved: 'https://mirror.example/seven.tgz' }),
    };
    const problems = ['node_modules/seven: the lock names a download address'];
    expect(check(manifest, lock)).toEqual({ status: 1, problems });
  });

  it('names packages without integrity, but not a folder of this project', () => {
    const lock = {
      ...packages,
      'node_modules/seven': { version: '7.0.2' },
      'node_modules/client': { resolved: 'clients/typescript', link: true },
    };
    expect(check(manifest, lock)).toEqual({ status: 1, problems: ['node_modules/seven: the lock has no integrity'] });
  });

  it.each(['^1.16.18', '~1.16.18', '1.16', '1.x', '*', 'latest', '>=1.16.18', 'npm:swc@^1.0.0', 'github:swc/swc'])(
    'names a dependency that is not pinned: %s',
    (wanted) => {
      const project = { ...manifest, dependencies: { swc: wanted } };
      const lock = { ...packages, '': { version: '0.1.0', ...project } };
      expect(check(project, lock)).toEqual({ status: 1, problems: [`swc: "${wanted}" is no exact version`] });
    },
  );

  it.each([
    ['a version', { dependencies: { swc: '1.16.19' } }, 'swc: package.json has 1.16.19, the lock 1.16.18'],
    ['a new package', { devDependencies: { six: '6.0.0' } }, 'six: package.json has 6.0.0, the lock undefined'],
    ['a removed package', { dependencies: {} }, 'swc: package.json has undefined, the lock 1.16.18'],
  ])('names what the lock does not know of package.json: %s', (_what, changed, problem) => {
    expect(check({ ...manifest, ...changed }, packages).problems).toContain(problem);
  });

  it.each([
    ['has no version of', {}, 'core: a peer, but not in the lock'],
    [
      'takes for a development package',
      { 'node_modules/core': locked('12.5.1', { dev: true }) },
      'core: a peer, but "npm ci --omit=dev" leaves it out',
    ],
    ['leaves out of the image', { 'node_modules/core': locked('12.5.1', { devOptional: true }) }, 'core: a peer'],
  ])('names a peer that the lock %s', (_what, lock, problem) => {
    const project = { ...manifest, peerDependencies: { core: '^12.5.1' } };
    const root = { version: '0.1.0', ...project };
    const { status, problems } = check(project, { ...packages, '': root, ...lock });
    expect({ status, problems }).toEqual({ status: 1, problems: [expect.stringContaining(problem)] });
    expect(
      check(project, { ...packages, '': root, 'node_modules/core': locked('12.5.1', { peer: true }) }).status,
    ).toBe(0);
  });

  it('lets the image do without an optional peer', () => {
    const peers = { peerDependencies: { traces: '^3.1.0' }, peerDependenciesMeta: { traces: { optional: true } } };
    const root = { version: '0.1.0', ...manifest, ...peers };
    const lock = { ...packages, '': root, 'node_modules/traces': locked('3.1.0', { dev: true }) };
    expect(check({ ...manifest, ...peers }, lock)).toEqual({ status: 0, problems: [] });
  });

  it('says so when there is no lock or none that can be read', () => {
    writeFileSync(join(folder, 'package.json'), '{}');
    expect(run(folder)).toMatchObject({ status: 1, problems: [expect.stringContaining('package-lock.json: ENOENT')] });
    writeFileSync(join(folder, 'package-lock.json'), '{');
    expect(run(folder)).toMatchObject({ status: 1, problems: [expect.stringContaining('package-lock.json: ')] });
  });
});
