import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeBillOfMaterials, makeChart, writeChecksums, writeNotes } from './release/artifacts.js';
import { findReleaseProblems, readReleaseState } from './release/checks.js';
import { mustRun } from './extensions-check/commands.js';
import { makeImage } from './release/image.js';
import { makePackage } from './package.js';

/**
 * `npm run release [-- --dry-run] [--folder release] [--no-image]`: makes all files of a release in a folder that is
 * empty or missing. Without `--dry-run` it also tags the commit, and prints the commands that publish the release. It
 * uploads nothing. Exits with 1 if the checkout cannot be released, with 2 for wrong usage. See docs/releasing.md.
 */
const root = join(import.meta.dirname, '../..');
const { 'dry-run': isDryRun, folder: named, image: isImageWanted } = readOptions();
const folder = resolve(root, named);
const state = await readReleaseState(root);
const problems = [...findReleaseProblems(state, { isDryRun }), ...findFolderProblems()];
if (problems.length > 0) refuse(problems);

const { version, notes } = state;
mkdirSync(folder, { recursive: true });
report('package', basename((await makePackage(root, folder)).path));
report('bill of materials', await makeBillOfMaterials(root, folder, version));
report('chart', await makeChart(root, folder, version));
if (isImageWanted) await makeImageOrSay();
else console.log('image: not made (--no-image)');
report('notes', writeNotes(folder, notes));
report('checksums', writeChecksums(folder));
if (isDryRun) console.log(`This was a dry run: v${version} was not tagged.`);
else await tag();

function readOptions() {
  try {
    return parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        folder: { type: 'string', default: 'release' },
        image: { type: 'boolean', default: true },
      },
      allowNegative: true,
    }).values;
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

/** Requires an empty folder, since other files in it would look like parts of the release. */
function findFolderProblems(): string[] {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return [];
  return [`the folder ${named} is not empty: remove it, or name another with --folder`];
}

function report(part: string, file: string): void {
  console.log(`${part}: ${relative(root, join(folder, file))}`);
}

/** Makes the image. A dry run may lack it, but a release without its image could not be completed later. */
async function makeImageOrSay(): Promise<void> {
  const image = await makeImage(root, folder, version);
  if ('file' in image) report('image', image.file);
  else if (isDryRun) console.log(`image: not made, ${image.reason}`);
  else refuse([`the image was not made, ${image.reason}; --no-image leaves it out`]);
}

function refuse(reasons: readonly string[]): never {
  console.error(['This cannot be released:', ...reasons.map((reason) => `  ${reason}`)].join('\n'));
  process.exit(1);
}

async function tag(): Promise<void> {
  const name = `v${version}`;
  if (state.taggedCommit === null)
    await mustRun('git', ['tag', '--annotate', name, '--message', `Namewatch ${version}`], root);
  console.log(`${name} is a tag of this commit. Nothing was uploaded. To publish it:
  git push origin main ${name}     # the forge's release workflow makes all this again and publishes it
or by hand, without provenance, which only a workflow can show:
  git push origin main ${name}
  npm publish ${relative(root, join(folder, `namewatch-${version}.tgz`))}`);
}
