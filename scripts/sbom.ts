import { join } from 'node:path';
import { billOfMaterials, problemsOf, toCycloneDx } from './sbom/bill-of-materials.js';
import { bundledPaths } from './sbom/bundled-paths.js';
import { productionPaths, readLock } from './sbom/locked-packages.js';

/** `npm run -s sbom`: the packages that the image ships, and those inside the dashboard's files, as CycloneDX JSON. */
const root = join(import.meta.dirname, '..');
const lock = readLock(root);
const bom = billOfMaterials(lock, productionPaths(lock), await bundledPaths(root, lock));
const text = toCycloneDx(bom);
const problems = await problemsOf(text);
if (problems !== null) throw new Error(`not CycloneDX 1.6: ${JSON.stringify(problems)}`);
process.stdout.write(`${text}\n`);
