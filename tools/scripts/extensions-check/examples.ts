import { cpSync, existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lastLines, mustRun, runProgram } from './commands.js';
import { readLock } from '../package.js';

/** An example of an extension, and what a service needs and shows with it. */
export interface Extension {
  readonly name: string;
  /** Settings that the extension needs. */
  readonly settings: Readonly<Record<string, string>>;
  /** A text that the API document contains only with this extension. */
  readonly shown: string;
}

interface Manifest {
  readonly exports?: unknown;
  readonly dependencies?: Names;
  readonly devDependencies?: Names;
  readonly peerDependencies?: Names;
}
type Names = Readonly<Record<string, string>>;

const STARTS: Readonly<Record<string, Partial<Omit<Extension, 'name'>>>> = {
  'slack-channel': { shown: '"slack"' },
  ledger: { shown: '/v1/x/ledger' },
  outbox: { settings: { OUTBOX_URL: 'https://bus.example.com/messages' } },
  'registrar-lookup': {
    settings: {
      ACME_REGISTRAR_URL: 'https://api.registrar.example/',
      ACME_REGISTRAR_API_KEY: 'key',
      ACME_REGISTRAR_TLDS: 'example',
    },
  },
  'sso-and-billing': {
    settings: {
      SSO_AND_BILLING_ISSUER: 'https://sso.example.com',
      SSO_AND_BILLING_AUDIENCE: 'namewatch',
      SSO_AND_BILLING_JWKS_URL: 'https://sso.example.com/jwks',
      SSO_AND_BILLING_PLANS_FILE: 'sso-and-billing/plans.example.json',
    },
  },
};

/** Packages that must exist only once: a second copy would have other tokens, decorators or classes. */
const ONE_COPY = [
  '@nestjs/common',
  '@nestjs/core',
  '@mikro-orm/core',
  'class-transformer',
  'class-validator',
  'reflect-metadata',
  'rxjs',
  'namewatch',
];

/** Matches the folders of the extensions that `namewatch extension new` makes. */
const SCAFFOLD = /^new-/;
/** The extension that the command makes by default. */
const DEFAULT_SCAFFOLD = 'new-channel';

/** The examples that depend on namewatch and a new extension for each port, or only the named, in one installation. */
export class Examples {
  private readonly manifests: Map<string, Manifest>;

  constructor(
    private readonly root: string,
    private readonly workspace: string,
    private readonly names: readonly string[],
  ) {
    const found = globSync('examples/*/package.json', { cwd: root }).sort();
    this.manifests = new Map(
      found
        .map((path) => [basename(dirname(path)), readManifest(join(root, path))] as const)
        .filter(([name, own]) => own.peerDependencies?.['namewatch'] && this.isWanted(name)),
    );
    if (this.manifests.size === 0 && this.ports.length === 0) throw new Error('there are no such examples');
  }

  /** Makes a new extension for each port, with the command of the installed tarball. */
  async scaffold(tarball: string): Promise<number> {
    const begin = async (port: string) => {
      const words = ['extension', 'new', `new-${port}`, '--port', port, '--namewatch', tarball];
      await mustRun('node_modules/.bin/namewatch', words, this.workspace);
      this.manifests.set(`new-${port}`, readManifest(join(this.workspace, `new-${port}/package.json`)));
    };
    await Promise.all(this.ports.map(begin));
    return this.ports.length;
  }

  private get ports(): string[] {
    const folders = readdirSync(join(this.root, 'examples/templates'), { withFileTypes: true });
    const ports = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    return ports.filter((port) => this.isWanted(`new-${port}`));
  }

  private isWanted(name: string): boolean {
    return this.names.length === 0 || this.names.includes(name);
  }

  /** Returns the examples with exports. The others are applications that mount Namewatch, with their own tests. */
  get extensions(): Extension[] {
    const exporting = [...this.manifests].filter(
      ([name, { exports }]) => exports !== undefined && !SCAFFOLD.test(name),
    );
    return exporting.map(([name]) => ({ settings: {}, shown: '', ...STARTS[name], name }));
  }

  /** Installs each as a workspace, so that npm has to find packages that all of them and Namewatch can share. */
  async install(tarball: string): Promise<number> {
    const isOwn = (path: string) => !/\/(node_modules|dist)$/.test(path);
    for (const name of [...this.manifests.keys()].filter((name) => !SCAFFOLD.test(name)))
      cpSync(join(this.root, 'examples', name), join(this.workspace, name), { recursive: true, filter: isOwn });
    const dependencies = {
      ...pinnedPackages(this.root, [...this.manifests.values()]),
      namewatch: `file:${tarball}`,
    };
    const manifest = { private: true, workspaces: [...this.manifests.keys()], dependencies };
    writeFileSync(join(this.workspace, 'package.json'), JSON.stringify(manifest));
    await mustRun('npm', ['install'], this.workspace);
    const copies = ONE_COPY.map((name) => globSync(`**/node_modules/${name}`, { cwd: this.workspace }));
    const several = copies.find(({ length }) => length > 1);
    if (several) throw new Error(`a second copy of what has to be one: ${several.join(', ')}`);
    for (const [name, own] of this.manifests) this.assertDeclared(name, own);
    return 1;
  }

  /**
   * Compiles each with its own settings, as its build script does. Uses this project's native compiler, which takes a
   * fifth of the time. With ALL_CASES it uses the compiler that the examples install.
   */
  async compile(): Promise<number> {
    const ofExample = (name: string) => `${name}/tsconfig.build.json`;
    const projects = [...this.manifests.keys()].map((name) =>
      existsSync(join(this.workspace, ofExample(name))) ? ofExample(name) : name,
    );
    const own = process.env['ALL_CASES'] === '1';
    const compiler = own ? 'node_modules/.bin/tsc' : join(this.root, 'tools/node_modules/typescript-7/bin/tsc');
    await mustRun(compiler, ['-b', ...projects], this.workspace);
    return projects.length;
  }

  async test(): Promise<number> {
    const names = [...this.manifests.keys()].filter((name) => this.isTested(name));
    const passed: number[] = [];
    const testNext = async () => {
      for (let name = names.shift(); name !== undefined; name = names.shift()) passed.push(await this.testOne(name));
    };
    await Promise.all([testNext(), testNext()]);
    return passed.reduce((sum, count) => sum + count, 0);
  }

  /** Whether to run its tests. Of the new extensions only the default has to: examples cover the other ports. */
  private isTested(name: string): boolean {
    const isRare = SCAFFOLD.test(name) && name !== DEFAULT_SCAFFOLD;
    return !isRare || process.env['ALL_CASES'] === '1' || this.names.includes(name);
  }

  /** Runs the tests in the example's folder, as its test script does. */
  private async testOne(name: string): Promise<number> {
    const folder = join(this.workspace, name);
    const files = globSync('dist/test/*.test.js', { cwd: folder });
    const { code, output } = await runProgram(process.execPath, ['--test', ...files], folder);
    const count = (what: string) => Number(new RegExp(`^(?:#|ℹ) ${what} (\\d+)`, 'm').exec(output)?.[1] ?? 0);
    if (code !== 0) throw new Error(`${name}: ${count('fail')} tests failed:\n${lastLines(output)}`);
    if (files.length === 0 || count('pass') === 0) throw new Error(`${name}: no test ran:\n${lastLines(output)}`);
    return count('pass');
  }

  /** Checks that an example declares its imports. All packages are in one folder, so no import fails. */
  private assertDeclared(name: string, { dependencies, peerDependencies, devDependencies }: Manifest): void {
    const declared = Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies });
    const sources = globSync(`${name}/{src,test}/**/*.ts`, { cwd: this.workspace });
    const imported = sources.flatMap((path) =>
      [...readFileSync(join(this.workspace, path), 'utf8').matchAll(/ from '((?:@[^/']+\/)?[^./'][^/']*)/g)].map(
        ([, word = '']) => word,
      ),
    );
    const missing = imported.filter((word) => !word.startsWith('node:') && !declared.includes(word));
    if (missing.length > 0) throw new Error(`${name} imports what its package.json lacks: ${missing.join(', ')}`);
  }
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

/**
 * Returns the packages that extensions name, with the versions in this project's locks. A newer version in a registry
 * must not decide about a change here, and npm has these versions in its cache.
 */
function pinnedPackages(root: string, extensions: readonly Manifest[]): Record<string, string> {
  const packages = { ...readLock(join(root, 'tools')), ...readLock(root) };
  const named = extensions.flatMap(({ dependencies, devDependencies, peerDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }),
  );
  const versions = named.map((name) => [name, packages[`node_modules/${name}`]?.version] as const);
  return Object.fromEntries(versions.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}
