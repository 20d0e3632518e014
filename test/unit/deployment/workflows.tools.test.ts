import { beforeAll, describe, expect, it } from '@jest/globals';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { createLinter } from '../../../tools/workflows.js';
import { ROOT } from './compose-file.js';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Update {
  readonly 'package-ecosystem': string;
  readonly directory: string;
  readonly groups?: Readonly<Record<string, { readonly patterns?: readonly string[] }>>;
}
interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly [field: string]: Readonly<Record<string, string>>;
}

const FOLDER = '.github/workflows';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const files = readdirSync(join(ROOT, FOLDER));
const workflows = files.map((file) => [file, parse(read(`${FOLDER}/${file}`)) as Workflow] as const);
const manifest = JSON.parse(read('package.json')) as Manifest;

let lint: Awaited<ReturnType<typeof createLinter>>;
beforeAll(async () => {
  lint = await createLinter();
});
const complaints = (file: string, text = read(`${FOLDER}/${file}`)) =>
  lint(text, `${FOLDER}/${file}`).map(({ line, message }) => `${line}: ${message}`);

describe('the GitHub workflows', () => {
  it('are only ci.yml and release.yml', () => {
    expect(files).toEqual(['ci.yml', 'release.yml']);
  });

  it.each(files)('pass the linter: %s', (file) => {
    expect(complaints(file)).toEqual([]);
  });

  it('run only npm scripts that exist', () => {
    const commands = workflows.flatMap(([, { jobs }]) =>
      Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = '' }) => run.split('\n'))),
    );
    const scripts = commands.flatMap((command) =>
      [...command.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name),
    );
    expect(scripts).toEqual(['release']);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
    expect(commands).toEqual(expect.arrayContaining(['bash .ci/run $WHICH', 'bash .ci/run --all']));
  });

  it('pin each action to a commit, because a tag can be moved', () => {
    const uses = files.flatMap((file) => read(`${FOLDER}/${file}`).match(/uses: .*/g) ?? []);
    expect(uses.length).toBeGreaterThan(0);
    for (const use of uses) expect(use).toMatch(/^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('have write permissions only in the publish job', () => {
    for (const [file, { permissions, jobs }] of workflows) {
      expect(permissions).toEqual({ contents: 'read' });
      const writing = Object.entries(jobs).filter(([, job]) => job.permissions);
      expect(writing.map(([name]) => name)).toEqual(file === 'release.yml' ? ['publish'] : []);
    }
  });
});

describe('the Dependabot configuration', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as { updates: readonly Update[] };
  const foldersOf = (ecosystem: string) =>
    updates.filter((one) => one['package-ecosystem'] === ecosystem).map(({ directory }) => directory);
  const foldersWith = (pattern: string) =>
    globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules'] }).map((path) => join('/', dirname(path)));

  it('covers each folder that pins versions of packages, images or actions', () => {
    expect(foldersOf('npm')).toEqual(foldersWith('{,*/}package-lock.json').sort());
    expect(foldersOf('docker')).toEqual(foldersWith('Dockerfile'));
    expect(foldersOf('docker-compose')).toEqual(foldersWith('docker-compose.yml'));
    expect(foldersOf('github-actions')).toEqual(['/']);
  });

  it('groups only packages that package.json names', () => {
    const names = Object.values(manifest).flatMap((field) => Object.keys(field));
    const patterns = Object.values(updates[0]?.groups ?? {}).flatMap((group) => group.patterns ?? []);
    const isFound = (pattern: string) =>
      names.some((name) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
    expect(patterns.filter((pattern) => !isFound(pattern))).toEqual([]);
  });
});
