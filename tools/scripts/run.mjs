// `npm run -s script -- <name> [options]`: runs a script of this folder, which is TypeScript and may need the tools.
import { join } from 'node:path';
import '../installed.mjs';
import './typescript.mjs';

const script = join(import.meta.dirname, `${process.argv[2]}.ts`);
process.argv.splice(1, 2, script);
await import(script);
