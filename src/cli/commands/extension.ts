import { Command, Option } from 'commander';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNameProblem } from '../../extensions/reserved-names.js';
import { version } from '../../platform/outbound/user-agent.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { toFileError, toPrintable } from '../terminal.js';

interface NewOptions {
  readonly name?: string;
  readonly port: Port;
  readonly namewatch?: string;
}

const PORTS = ['channel', 'lookup-source', 'subscriber', 'task', 'authenticator', 'plans', 'controller'] as const;
type Port = (typeof PORTS)[number];

/** The folder of the templates. It is beside `dist` in the package, and beside `src` in a clone. */
const TEMPLATES = fileURLToPath(new URL('../../../examples/templates', import.meta.url));
/** The name of the extension in the templates, in each of its spellings. */
const PLACEHOLDERS = /my-extension|my_extension|MY_EXTENSION/g;

export function extension(): Command {
  return new Command('extension').addCommand(createNew());
}

function createNew(): Command {
  return new Command('new')
    .description('write a package with one part of an extension and its tests; asks no service')
    .argument('<folder>', 'a new or empty folder')
    .addOption(new Option('--port <port>', 'which part').choices(PORTS).default('channel'))
    .option('--name <name>', 'of the extension; that of the folder unless given')
    .option('--namewatch <version>', 'a version, or the path of a tarball; the version that runs unless given')
    .action(async (folder: string, { port, name = basename(resolve(folder)), namewatch }: NewOptions) => {
      const problem = findNameProblem(name);
      if (problem !== null) throw new CommandError(EXIT.usage, `--name: ${toPrintable(problem)}`);
      const dependency = await toDependency(resolve(folder), namewatch);
      assertEmpty(folder);
      writeFiles(folder, filesOf({ name, port, dependency }));
      console.log(`The extension ${name} is in ${toPrintable(folder)}. Next, there: npm install && npm test`);
    });
}

/**
 * Finds the dependency on namewatch for package.json.
 * @param wanted a version range, or the path of a .tgz file
 */
async function toDependency(folder: string, wanted = version): Promise<string> {
  const semver = await import('semver');
  if (semver.default.validRange(wanted) !== null) return wanted;
  if (!wanted.endsWith('.tgz') || !existsSync(wanted))
    throw new CommandError(EXIT.usage, `--namewatch is a version or an existing .tgz file, not ${toPrintable(wanted)}`);
  return `file:${relative(folder, resolve(wanted))}`;
}

function assertEmpty(folder: string): void {
  if (listFiles(folder).length > 0)
    throw new CommandError(EXIT.usage, `${toPrintable(folder)} is not empty: name another folder`);
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code !== 'ENOTDIR') throw toFileError(toPrintable(folder), error);
    throw new CommandError(EXIT.usage, `${toPrintable(folder)} is a file: name another folder`);
  }
}

interface Scaffold {
  readonly name: string;
  readonly port: Port;
  /** The dependency on namewatch in package.json: a version range, or `file:` with the path of a .tgz file. */
  readonly dependency: string;
}

function filesOf(scaffold: Scaffold): ReadonlyMap<string, string> {
  const template = join(TEMPLATES, scaffold.port);
  const sources = readdirSync(template, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const read = (path: string) => withNames(readFileSync(path, 'utf8'), scaffold.name);
  return new Map([
    ['package.json', `${JSON.stringify(manifestOf(scaffold), null, 2)}\n`],
    ['tsconfig.json', read(join(TEMPLATES, 'tsconfig.build.json'))],
    ['README.md', readmeOf(scaffold)],
    ['.gitignore', 'node_modules/\ndist/\n.data/\n'],
    ...sources.map((path) => [relative(template, path), read(path)] as const),
  ]);
}

function withNames(text: string, name: string): string {
  const snake = name.replaceAll('-', '_');
  const names = { 'my-extension': name, my_extension: snake, MY_EXTENSION: snake.toUpperCase() };
  return text
    .replace(PLACEHOLDERS, (placeholder) => names[placeholder as keyof typeof names])
    .replace("compatibility: '^1.0.0'", `compatibility: '^${version}'`);
}

function manifestOf({ name, dependency }: Scaffold): object {
  return {
    name: `namewatch-${name}`,
    version: '0.1.0',
    type: 'module',
    exports: './dist/src/extension.js',
    files: ['dist/src'],
    scripts: { build: 'tsc', test: 'npm run build && node --test "dist/test/*.test.js"' },
    peerDependencies: { namewatch: `^${version}` },
    devDependencies: { '@types/node': '^24.0.0', namewatch: dependency, typescript: '^6.0.0' },
  };
}

function readmeOf({ name, port }: Scaffold): string {
  return [
    `# ${name}`,
    '',
    `An extension of Namewatch (${port}). \`npm install && npm test\` compiles and tests it; then`,
    '`EXTENSIONS=. npx namewatch up` in this folder starts a service with it, given its settings.',
    '',
  ].join('\n');
}

function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text, { flag: 'wx' });
    }
  } catch (error) {
    throw toFileError(toPrintable(folder), error);
  }
}
