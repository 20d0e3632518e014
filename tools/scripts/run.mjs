// `npm run -s script -- <name> [options]`: runs a script of this folder, which is TypeScript and may need the tools.
import '../installed.mjs';
import './typescript.mjs';

const [name] = process.argv.splice(2, 1);
await import(`./${name}.ts`);
