import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Where an extension is: a package as the working directory sees it or as this package does, or a file or folder.
 * @param specifier a path when it begins with `.` or `/`, otherwise the name of a package
 * @returns the URL to import
 * @throws Error that says why there is none
 */
export function resolveExtension(specifier: string): string {
  const path = resolve(specifier);
  if (specifier.startsWith('.') || isAbsolute(specifier)) return resolvePath(path);
  const workingDirectory = pathToFileURL(join(process.cwd(), 'package.json')).href;
  const resolved = resolvePackage(specifier, workingDirectory) ?? resolvePackage(specifier, import.meta.url);
  if (resolved !== null) return resolved;
  const hint = existsSync(path) ? `; for the path write ./${specifier}` : '';
  throw new Error(`no such package in ${process.cwd()} or beside Namewatch${hint}`);
}

/** As `import` does, which alone knows packages that have no entry for `require`; null where no such package is. */
function resolvePackage(name: string, parentURL: string): string | null {
  // import.meta.resolve takes no other parent; what happens between here and the end is synchronous.
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
