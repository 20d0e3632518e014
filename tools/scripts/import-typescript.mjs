import { transformSync } from '@swc/core';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GLOBALS = new URL('../../test/support/runner/native/globals.mjs', import.meta.url).href;
const isOurs = (url) => url?.endsWith('.ts') && !url.includes('/node_modules/');

/** The packages that extensions and examples import, and their sources here. */
const PUBLIC = {
  namewatch: new URL('../../src/kit.ts', import.meta.url).href,
  'namewatch/nest': new URL('../../src/nest.ts', import.meta.url).href,
  'namewatch/mikro-orm': new URL('../../src/mikro-orm.ts', import.meta.url).href,
  'namewatch/testing': new URL('../../src/testing.ts', import.meta.url).href,
};

/** The paths of source maps by compiled file, for the stacks of errors. */
export const sourceMaps = new Map();

let folder;
let settings;

/** Lets Node import `@jest/globals` and TypeScript, compiled as for a build. Caches the compiled files. */
export function importTypeScript(cacheDirectory) {
  if (folder !== undefined) return;
  folder = join(cacheDirectory, 'typescript');
  settings = readFileSync(join(ROOT, '.swcrc'), 'utf8');
  mkdirSync(folder, { recursive: true });
  enableCompileCache(join(cacheDirectory, 'bytecode'));
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier === '@jest/globals') return { url: GLOBALS, format: 'module', shortCircuit: true };
      if (PUBLIC[specifier] && isOurs(context.parentURL))
        return { url: PUBLIC[specifier], format: 'module', shortCircuit: true };
      if (!specifier.startsWith('.') || !specifier.endsWith('.js') || !isOurs(context.parentURL))
        return nextResolve(specifier, context);
      const { href } = new URL(`${specifier.slice(0, -'.js'.length)}.ts`, context.parentURL);
      if (!existsSync(fileURLToPath(href))) return nextResolve(specifier, context);
      return { url: href, format: 'module', shortCircuit: true };
    },
    load(url, context, nextLoad) {
      if (!isOurs(url)) return nextLoad(url, context);
      return { format: 'module', source: compiled(url), shortCircuit: true };
    },
  });
}

function compiled(url) {
  const path = fileURLToPath(url);
  const text = readFileSync(path, 'utf8');
  const name = join(folder, createHash('sha256').update(`${settings}\0${path}\0${text}`).digest('hex'));
  sourceMaps.set(url, `${name}.map`);
  if (existsSync(name)) return readFileSync(name, 'utf8');
  const { code, map } = transformSync(text, { filename: path, cwd: ROOT, swcrc: true, sourceMaps: true });
  const linked = `${code}\n//# sourceMappingURL=${pathToFileURL(`${name}.map`).pathname}`;
  replace(`${name}.map`, map);
  replace(name, linked);
  return linked;
}

/** Writes a file atomically, since other workers compile the same files. */
function replace(path, content) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}
