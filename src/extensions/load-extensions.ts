import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Config } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { DEFINED_BY, defineExtension, type Extension } from './extension.js';
import { Extensions } from './extensions.js';

const OWN = Reflect.get(defineExtension({ name: 'own', compatibility: '*' }), DEFINED_BY) as unknown;

/**
 * Imports the packages and files of EXTENSIONS, before anything else of the service starts.
 * @throws InvalidConfigurationError naming everything that is wrong at once
 */
export async function loadExtensions({ extensions }: Pick<Config, 'extensions'>): Promise<Extensions> {
  const loaded = await Promise.all(extensions.map(load));
  const problems = loaded.filter((one) => typeof one === 'string');
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  return Extensions.from(loaded.filter((one) => typeof one !== 'string'));
}

async function load(specifier: string): Promise<Extension | string> {
  try {
    return readDefaultExport(specifier, (await importFrom(specifier)) as { default?: unknown });
  } catch (error) {
    return `EXTENSIONS: cannot load ${specifier}: ${(error as Error).message.split('\n')[0]}`;
  }
}

function readDefaultExport(specifier: string, { default: extension }: { default?: unknown }): Extension | string {
  const definedBy = typeof extension === 'object' && extension ? (Reflect.get(extension, DEFINED_BY) as unknown) : null;
  if (definedBy === OWN) return extension as Extension;
  if (typeof definedBy !== 'string')
    return `EXTENSIONS: the default export of ${specifier} was not made by defineExtension`;
  return `EXTENSIONS: ${specifier} uses another installation of namewatch, ${definedBy}`;
}

/** A package beside this one or in the working directory, or a path that starts there. */
async function importFrom(specifier: string): Promise<unknown> {
  if (specifier.startsWith('.') || isAbsolute(specifier)) return import(pathToFileURL(resolve(specifier)).href);
  const resolved = resolvePackage(specifier, import.meta.url) ?? resolvePackage(specifier, join(process.cwd(), '_'));
  if (resolved === null) throw new Error('there is no such package here');
  return import(resolved);
}

function resolvePackage(specifier: string, from: string): string | null {
  try {
    return pathToFileURL(createRequire(from).resolve(specifier)).href;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
