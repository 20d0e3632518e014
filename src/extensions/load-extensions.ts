import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.js';
import { DEFINED_BY, defineExtension, type Extension } from './extension.js';
import { Extensions } from './extensions.js';
import { resolveExtension } from './resolve-package.js';

const OWN = Reflect.get(defineExtension({ name: 'own', compatibility: '*' }), DEFINED_BY) as unknown;

/** An extension with the version of the package that it came from; null where that has none. */
interface LoadedExtension {
  readonly extension: Extension;
  readonly version: string | null;
}

/**
 * Imports the packages and files of EXTENSIONS, before anything else of the service starts.
 * @throws InvalidConfigurationError naming everything that is wrong at once
 */
export async function loadExtensions({ extensions }: Pick<Config, 'extensions'>): Promise<Extensions> {
  const results = await Promise.all(extensions.map(load));
  const loaded = results.filter((result) => typeof result !== 'string');
  return Extensions.from(
    loaded.map(({ extension }) => extension),
    {
      problems: results.filter((result) => typeof result === 'string'),
      versions: new Map(loaded.map(({ extension, version }) => [extension, version])),
    },
  );
}

async function load(specifier: string): Promise<LoadedExtension | string> {
  try {
    const url = resolveExtension(specifier);
    const imported = (await import(url)) as { readonly default?: unknown };
    return readDefaultExport(specifier, url, imported);
  } catch (error) {
    return `EXTENSIONS: cannot load ${specifier}: ${toSentence(error)}`;
  }
}

/** Whatever a package throws: its first line is the message, the rest is a stack or code. */
function toSentence(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.trim().split('\n')[0] ?? '';
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
