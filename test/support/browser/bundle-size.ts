import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const ASSETS = join(import.meta.dirname, '../../../dist/ui/assets');

/** In bytes: the files that a browser loads besides the page itself, as `npm run build` has made them. */
export function gzippedAssets(): number {
  return readdirSync(ASSETS).reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).length, 0);
}
