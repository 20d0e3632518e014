import { fileURLToPath } from 'node:url';
import { importTypeScript } from './import-typescript.mjs';

/** Loaded with `--import` by what is TypeScript and not built. What it compiles is kept until the packages are installed again. */
process.setSourceMapsEnabled(true);
importTypeScript(fileURLToPath(new URL('../../node_modules/.cache/namewatch', import.meta.url)));
