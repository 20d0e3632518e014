import { existsSync } from 'node:fs';

/** Loaded with `--import` by the scripts that need what `npm ci --prefix tools` installs. */
if (!existsSync(new URL('node_modules', import.meta.url))) {
  console.error('The tools of this script are not installed: run "npm ci --prefix tools".');
  process.exit(1);
}
