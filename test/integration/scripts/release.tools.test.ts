import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

jest.setTimeout(180_000); // the package is built

const ROOT = join(import.meta.dirname, '../../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

describe('npm run release', () => {
  const clone = mkdtempSync(join(tmpdir(), 'namewatch-release-'));
  const git = (...words: string[]) => execFileSync('git', words, { cwd: clone, encoding: 'utf8', stdio: 'pipe' });
  const commit = () => {
    git('add', '--all');
    git('-c', 'user.name=test', '-c', 'user.email=test@example.test', 'commit', '--quiet', '--message', 'all of it');
  };
  beforeAll(() => {
    // The files as they are here, committed or not.
    const words = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
    const listed = execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).split('\0');
    for (const path of listed.filter((path) => path !== '' && existsSync(join(ROOT, path))))
      cpSync(join(ROOT, path), join(clone, path));
    writeFileSync(join(clone, '.gitignore'), '/node_modules\n/tools/node_modules\n', { flag: 'a' }); // links are no folders
    for (const part of ['node_modules', 'tools/node_modules']) symlinkSync(join(ROOT, part), join(clone, part));
    git('init', '--quiet');
    commit();
  });
  afterAll(() => {
    for (const folder of [clone, builders]) rmSync(folder, { recursive: true, force: true });
  });

  /** In place of docker: the rest is shown, with a real builder, by who has one. */
  const builders = mkdtempSync(join(tmpdir(), 'namewatch-builders-'));
  const docker = `#!/bin/sh\ncase "$1" in save) echo image >"$3" ;; build) test -f Dockerfile ;; esac\n`;
  writeFileSync(join(builders, 'docker'), docker, { mode: 0o755 });

  const release = (...words: string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      const env = {
        PATH: `${builders}:${process.env['PATH']}`,
        HOME: process.env['HOME'],
        GIT_AUTHOR_NAME: 'test',
        GIT_AUTHOR_EMAIL: 't@example.test',
        GIT_COMMITTER_NAME: 'test',
        GIT_COMMITTER_EMAIL: 't@example.test',
      };
      execFile('npm', ['run', '-s', 'release', '--', ...words], { cwd: clone, env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });

  it('makes every part in a folder, and tags nothing in a dry run', async () => {
    expect(await release('--dry-run')).toMatchObject({ code: 0, out: expect.stringContaining('was not tagged') });
    const folder = join(clone, 'release');
    const parts = [`chart-${version}.tgz`, `image-${version}.tar`, `${version}.cdx.json`, `${version}.tgz`];
    const files = ['NOTES.md', 'SHA256SUMS', ...parts.map((part) => `namewatch-${part}`)];
    expect(readdirSync(folder).sort()).toEqual(files.sort());
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
    const contents = (file: string) =>
      execFileSync('tar', ['-tzf', join(folder, file)], { encoding: 'utf8' }).split('\n');
    expect(contents(`namewatch-${version}.tgz`)).toEqual(
      expect.arrayContaining(['package/dist/main.js', 'package/LICENSE']),
    );
    expect(contents(`namewatch-chart-${version}.tgz`)).toEqual(
      expect.arrayContaining(['namewatch/Chart.yaml', 'namewatch/values.schema.json']),
    );
    expect(git('tag')).toBe('');
  });

  it('refuses what is not committed and a folder with files, both at once', async () => {
    writeFileSync(join(clone, 'left.txt'), '');
    const { code, err } = await release('--dry-run');
    rmSync(join(clone, 'left.txt'));
    expect(code).toBe(1);
    expect(err).toContain('not everything is committed: 1 files, the first is left.txt');
    expect(err).toContain('the folder release is not empty');
  });

  it('tags the commit, says how to publish it, and does so again for the same commit only', async () => {
    const changelog = join(clone, 'CHANGELOG.md');
    writeFileSync(changelog, readFileSync(changelog, 'utf8').replace(/^## \[.*$/m, `## [${version}] – 2026-12-01`));
    commit();
    writeFileSync(join(builders, 'docker'), `#!/bin/sh\ntest "$1" != build || { echo 'no such base'; exit 1; }\n`);
    expect(await release('--folder', `${clone}-first`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'the image was not made, docker build failed: no such base; --no-image leaves it out',
      ),
    });
    expect(git('tag')).toBe('');
    for (const folder of ['second', 'third']) {
      const { code, out } = await release('--no-image', '--folder', `${clone}-${folder}`);
      expect({ code, out }).toMatchObject({
        code: 0,
        out: expect.stringContaining(`git push origin main v${version}`),
      });
    }
    for (const folder of ['first', 'second', 'third']) rmSync(`${clone}-${folder}`, { recursive: true });
    expect(git('rev-parse', `v${version}^{commit}`)).toBe(git('rev-parse', 'HEAD'));

    writeFileSync(join(clone, 'README.md'), 'changed');
    commit();
    expect(await release()).toMatchObject({ code: 1, err: expect.stringContaining(`the tag v${version} exists`) });
  });

  it('refuses an option that it does not know', async () => {
    expect(await release('--publish')).toMatchObject({ code: 2 });
  });
});
