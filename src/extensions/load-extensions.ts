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

interface LoadedExtension {
  readonly extension: Extension;
  readonly version: string | null;
}

export interface Installation {
  readonly config: Config;
  readonly extensions: Extensions;
}

/**
 * Runs before anything else starts.
 * @throws InvalidConfigurationError with all problems of settings and extensions, not only the first
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

/** Reads the plans. If the plans are invalid, returns no `plans`, so that PLAN_DEFAULT is not checked against them. */
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

/** The settings for loading extensions. Without `plans`, the default plan is not checked. */
type LoadingConfig = Pick<Config, 'extensions' | 'environment'> & Partial<Pick<Config, 'plans' | 'defaultPlan'>>;

/**
 * @param given extensions besides those of the setting EXTENSIONS
 * @throws InvalidConfigurationError with all problems, not only the first
 */
export async function loadExtensions(config: LoadingConfig, given: readonly Extension[] = []): Promise<Extensions> {
  const results = await Promise.all(config.extensions.map(load));
  const loaded = results.filter((result) => typeof result !== 'string');
  // An extension that failed to load might have provided the plans, so PLAN_DEFAULT is checked only if all extensions
  // were loaded.
  const areAllLoaded = loaded.length === results.length;
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

/** Checks the classes of extensions. Without extensions, the checks are not imported, because an import takes time. */
async function findWrongClasses(all: readonly Extension[]): Promise<string[]> {
  if (all.length === 0) return [];
  const { findPortProblems } = await import('./port-problems.js');
  const { findRouteProblems } = await import('./route-problems.js');
  const sound = all.filter((extension) => findShapeProblems(extension).length === 0);
  const ofRoutes = await Promise.all(sound.map((extension) => findRouteProblems(extension, sound)));
  return [...sound.flatMap(findPortProblems), ...ofRoutes.flat()];
}

/** Checks that the plan PLAN_DEFAULT exists. For plans of an extension, `ValidatedPlanSource` does this later. */
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

/** Returns the folder of a copy of Namewatch. `definedBy` is the URL of the copy's `dist/extensions/extension.js`. */
function folderOf(definedBy: string): string {
  return fileURLToPath(new URL('../..', definedBy));
}

function versionOf(url: string): string | null {
  const manifest = findPackageJSON(url); // if there is no package.json, this is the path of the file at `url`
  if (!manifest?.endsWith('package.json')) return null;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown };
  return typeof version === 'string' ? version : null;
}

/**
 * @returns the URL to import
 * @throws Error that says why nothing was found
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

/** Resolves like `import`, since `require` misses packages made for `import` only. Returns null if not found. */
function resolvePackage(name: string, parentURL: string): string | null {
  // The hook makes the search start at parentURL, because import.meta.resolve has no parameter for this.
  const hook = registerHooks({ resolve: (asked, context, next) => next(asked, { ...context, parentURL }) });
  try {
    // No other import gets the hook, because this function is synchronous and removes the hook.
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
  // A package with `exports` can import itself by its name. Other packages are found by `main` or index.js.
  const own = exports !== undefined && name ? resolvePackage(name, pathToFileURL(manifest).href) : null;
  return own ?? pathToFileURL(createRequire(manifest).resolve(path)).href;
}
