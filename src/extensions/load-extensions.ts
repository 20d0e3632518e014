import { readFileSync, existsSync, statSync } from 'node:fs';
import { findPackageJSON, createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isAbsolute, join, resolve } from 'node:path';
import { type Config, currentEnvironment, type Environment, readConfig, readSettings } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { SETTINGS } from '../config/settings.js';
import { DEFINED_BY, defineExtension, type Extension } from './extension.js';
import { findShapeProblems } from './extension-problems.js';
import { Extensions, toSentence } from './extensions.js';

const OWN = Reflect.get(defineExtension({ name: 'own', compatibility: '*' }), DEFINED_BY) as unknown;

/** An extension with the version of the package that it came from; null where that has none. */
interface LoadedExtension {
  readonly extension: Extension;
  readonly version: string | null;
}

/** The parts of an installation, beside its database. */
export interface Installation {
  readonly config: Config;
  readonly extensions: Extensions;
}

/**
 * Reads every setting, and imports the packages and files of EXTENSIONS, before anything else starts.
 * @throws InvalidConfigurationError naming everything that is wrong at once
 */
export async function readInstallation(environment = currentEnvironment()): Promise<Installation> {
  const read = readOrCollect(() => readConfig(environment));
  if ('config' in read) return { config: read.config, extensions: await loadExtensions(read.config) };
  const { extensions, defaultPlan } = readSettings(SETTINGS, environment, () => undefined);
  const others = await loadExtensions({ extensions, environment, defaultPlan, ...readPlans(environment) }).then(
    () => [],
    problemsOf,
  );
  throw new InvalidConfigurationError([...read.problems, ...others]);
}

/** Without plans where they are wrong themselves: then nobody knows which ones there are. */
function readPlans(environment: Environment): Partial<Pick<Config, 'plans'>> {
  const problems: string[] = [];
  const { plans } = readSettings({ plans: SETTINGS.plans }, environment, (problem) => void problems.push(problem));
  return problems.length > 0 ? {} : { plans };
}

function readOrCollect(read: () => Config): { config: Config } | { problems: readonly string[] } {
  try {
    return { config: read() };
  } catch (error) {
    return { problems: problemsOf(error) };
  }
}

function problemsOf(error: unknown): readonly string[] {
  if (error instanceof InvalidConfigurationError) return error.problems;
  throw error;
}

/** The plans are checked where they are known. */
type LoadingConfig = Pick<Config, 'extensions' | 'environment'> & Partial<Pick<Config, 'plans' | 'defaultPlan'>>;

/**
 * Imports the packages and files of EXTENSIONS.
 * @param given those that an application passes beside them
 * @throws InvalidConfigurationError naming everything that is wrong at once
 */
export async function loadExtensions(config: LoadingConfig, given: readonly Extension[] = []): Promise<Extensions> {
  const results = await Promise.all(config.extensions.map(load));
  const loaded = results.filter((result) => typeof result !== 'string');
  const areAllLoaded = loaded.length === results.length; // a missing extension may have brought plans
  const all = [...loaded.map(({ extension }) => extension), ...given];
  return Extensions.from(all, {
    environment: config.environment,
    problems: [
      ...results.filter((result) => typeof result === 'string'),
      ...(areAllLoaded ? findPlanProblem(config, all) : []),
      ...(await findWrongClasses(all)),
    ],
    versions: new Map(loaded.map(({ extension, version }) => [extension, version])),
  });
}

/** The classes of the ports are loaded only where there is an extension: most commands need none of them. */
async function findWrongClasses(all: readonly Extension[]): Promise<string[]> {
  if (all.length === 0) return [];
  const { findPortProblems } = await import('./port-problems.js');
  const { findRouteProblems } = await import('./route-problems.js');
  const sound = all.filter((extension) => findShapeProblems(extension).length === 0);
  const ofRoutes = await Promise.all(sound.map((extension) => findRouteProblems(extension, sound)));
  return [...sound.flatMap(findPortProblems), ...ofRoutes.flat()];
}

/** The plans of an extension are checked once it has loaded them. */
function findPlanProblem({ plans, defaultPlan }: LoadingConfig, all: readonly Extension[]): string[] {
  if (plans === undefined || defaultPlan === undefined) return [];
  if (Object.hasOwn(plans, defaultPlan) || all.some(({ planSource }) => planSource !== undefined)) return [];
  return [`PLAN_DEFAULT must be one of ${Object.keys(plans).join(', ')}`];
}

async function load(specifier: string): Promise<LoadedExtension | string> {
  try {
    const url = resolveExtension(specifier);
    return readDefaultExport(specifier, url, (await import(url)) as { readonly default?: unknown });
  } catch (error) {
    return `EXTENSIONS: cannot load ${specifier}: ${toSentence(error)}`;
  }
}

function readDefaultExport(
  specifier: string,
  url: string,
  { default: extension }: { readonly default?: unknown },
): LoadedExtension | string {
  if (extension === undefined) return `EXTENSIONS: ${specifier} has no default export`;
  const definedBy = typeof extension === 'object' && extension ? (Reflect.get(extension, DEFINED_BY) as unknown) : null;
  if (definedBy === OWN) return { extension: extension as Extension, version: versionOf(url) };
  if (typeof definedBy !== 'string')
    return `EXTENSIONS: the default export of ${specifier} was not made by defineExtension`;
  return (
    `EXTENSIONS: ${specifier} uses another installation of namewatch, ${folderOf(definedBy)}, ` +
    `and this is ${folderOf(String(OWN))}`
  );
}

/** `dist/extensions/extension.js` is the file that says it. */
function folderOf(definedBy: string): string {
  return fileURLToPath(new URL('../..', definedBy));
}

function versionOf(url: string): string | null {
  const manifest = findPackageJSON(url); // where there is none, Node answers with the file itself
  if (!manifest?.endsWith('package.json')) return null;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown };
  return typeof version === 'string' ? version : null;
}

/**
 * Finds an extension: a package as the working directory sees it or as this package does, or a file or folder.
 * @param specifier a path when it begins with `.` or `/`, otherwise the name of a package
 * @returns the URL to import
 * @throws Error that says why there is none
 */
function resolveExtension(specifier: string): string {
  const path = resolve(specifier);
  if (specifier.startsWith('.') || isAbsolute(specifier)) return resolvePath(path);
  const workingDirectory = pathToFileURL(join(process.cwd(), 'package.json')).href;
  const resolved = resolvePackage(specifier, workingDirectory) ?? resolvePackage(specifier, import.meta.url);
  if (resolved !== null) return resolved;
  const hint = existsSync(path) ? `; for the path write ./${specifier}` : '';
  throw new Error(`no such package in ${process.cwd()} or beside Namewatch${hint}`);
}

/** Resolves as `import` does, which alone knows packages without an entry for `require`; null: there is no such package. */
function resolvePackage(name: string, parentURL: string): string | null {
  // import.meta.resolve takes no other parent; everything between here and the end is synchronous.
  const hook = registerHooks({ resolve: (asked, context, next) => next(asked, { ...context, parentURL }) });
  try {
    return import.meta.resolve(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  } finally {
    hook.deregister();
  }
}

function resolvePath(path: string): string {
  if (!existsSync(path)) throw new Error('no such file or folder');
  if (!statSync(path).isDirectory()) return pathToFileURL(path).href;
  const manifest = join(path, 'package.json');
  if (!existsSync(manifest)) throw new Error('the folder has no package.json');
  const { name, exports } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: string; exports?: unknown };
  // A package that has `exports` can import itself by its name; without them, `main` or index.js is meant.
  const own = exports !== undefined && name ? resolvePackage(name, pathToFileURL(manifest).href) : null;
  return own ?? pathToFileURL(createRequire(manifest).resolve(path)).href;
}
