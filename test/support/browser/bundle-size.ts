import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const ASSETS = join(import.meta.dirname, '../../../dist/ui/assets');

/** The files that a browser loads besides the page itself, as `npm run build` has made them. */
export function builtAssets(): Buffer[] {
  return readdirSync(ASSETS).map((name) => readFileSync(join(ASSETS, name)));
}

/** In bytes. */
export function gzippedSize(files: readonly Buffer[]): number {
  return files.reduce((sum, file) => sum + gzipSync(file).length, 0);
}
