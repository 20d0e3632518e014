import { cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { boot, type BootOptions } from './boot.js';
import { lastLines, mustRun, runProgram } from './commands.js';
import { pinnedPackages } from './pinned-packages.js';

export interface Outcome {
  readonly name: string;
  readonly passed: number;
  /** A text each. */
  readonly failures: readonly string[];
  readonly seconds: Readonly<Record<string, number>>;
  /** Of the sources without tests. */
  readonly lines: number;
}

/** How each is started: with which settings of its own, and what the API document has only with it. */
const BOOT: Readonly<Record<string, BootOptions>> = {
  'slack-channel': { shown: '"slack"' },
  ledger: { shown: '/v1/ledger' },
  'registrar-lookup': {
    settings: { REGISTRAR_URL: 'https://api.registrar.example/', REGISTRAR_API_KEY: 'key', REGISTRAR_TLDS: 'example' },
  },
  'sso-and-billing': {
    settings: {
      SSO_ISSUER: 'https://sso.example.com',
      SSO_AUDIENCE: 'namewatch',
      SSO_JWKS_URL: 'https://sso.example.com/jwks',
      BILLING_PLANS_FILE: 'plans.example.json',
    },
  },
};

/** Of these a second copy in the host would be a second set of tokens, decorators or classes. */
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

/** One example in an empty folder, on a machine that has nothing but npm and the tarball. */
export class Example {
  private readonly seconds: Record<string, number> = {};
  private readonly failures: string[] = [];
  private passed = 0;
  private readonly folder: string;

  constructor(
    private readonly root: string,
    private readonly workspace: string,
    readonly name: string,
  ) {
    this.folder = join(workspace, name);
  }

  /** @param installed a folder to copy the packages from, which npm then completes; it unpacks most of them once */
  async run(tarball: string, installed: string | null): Promise<Outcome> {
    const source = join(this.root, 'examples', this.name);
    const isOwn = (path: string) => !/\/(node_modules|dist)$/.test(path);
    cpSync(source, this.folder, { recursive: true, filter: isOwn });
    cpSync(join(this.root, '.npmrc'), join(this.folder, '.npmrc'));
    const isInstalled = await this.attempt('install', () => this.install(tarball, installed));
    if (isInstalled) await this.attempt('test', () => this.test());
    if (isInstalled && this.isExtension()) await this.attempt('boot', () => this.boot());
    const { name, passed, failures, seconds } = this;
    const sources = globSync('src/**/*.ts', { cwd: source });
    const lines = sources.reduce((sum, path) => sum + countLines(join(source, path)), 0);
    return { name, passed, failures, seconds, lines };
  }

  private async attempt(step: string, work: () => Promise<void>): Promise<boolean> {
    const began = performance.now();
    try {
      await work();
      return true;
    } catch (error) {
      this.failures.push(`${this.name}, ${step}: ${(error as Error).message}`);
      return false;
    } finally {
      this.seconds[step] = Math.round((performance.now() - began) / 100) / 10;
    }
  }

  private async install(tarball: string, installed: string | null): Promise<void> {
    if (installed) await mustRun('cp', ['-al', join(installed, 'node_modules'), this.folder], this.folder);
    const packages = [tarball, ...pinnedPackages(this.root, this.folder)];
    await mustRun('npm', ['install', '--no-save', '--prefer-offline', ...packages], this.folder);
    const copies = ONE_COPY.flatMap((name) => globSync(`node_modules/**/node_modules/${name}`, { cwd: this.folder }));
    if (copies.length > 0) throw new Error(`a second copy of what has to be one: ${copies.join(', ')}`);
    this.passed += 1;
  }

  /** Its own test script, which compiles first. */
  private async test(): Promise<void> {
    const { code, output } = await runProgram('npm', ['test'], this.folder);
    const count = (what: string) => Number(new RegExp(`^(?:#|ℹ) ${what} (\\d+)`, 'm').exec(output)?.[1] ?? 0);
    this.passed += count('pass');
    if (code !== 0) throw new Error(`${count('fail')} tests failed:\n${lastLines(output)}`);
    if (count('pass') === 0) throw new Error(`no test ran:\n${lastLines(output)}`);
  }

  private async boot(): Promise<void> {
    const data = join(this.workspace, 'data', this.name);
    mkdirSync(join(data, '..'), { recursive: true });
    const problem = await boot(this.folder, data, BOOT[this.name]);
    if (problem !== null) throw new Error(problem);
    this.passed += 1;
  }

  /** What exports nothing is an application that mounts Namewatch, which its own tests start. */
  private isExtension(): boolean {
    const manifest = JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8')) as { exports?: unknown };
    return manifest.exports !== undefined && existsSync(join(this.folder, 'node_modules/.bin/namewatch'));
  }
}

function countLines(path: string): number {
  return readFileSync(path, 'utf8').trimEnd().split('\n').length;
}
