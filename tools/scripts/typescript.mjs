import { fileURLToPath } from 'node:url';
import { importTypeScript } from './import-typescript.mjs';

/** Loaded with `--import` to run TypeScript without a build. The cache lasts until packages are installed again. */
process.setSourceMapsEnabled(true);
importTypeScript(fileURLToPath(new URL('../../node_modules/.cache/namewatch', import.meta.url)));
