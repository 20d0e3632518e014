import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findHelm } from '../../../test/support/programs/helm.js';
import { mustRun } from '../extensions-check/commands.js';

/** Each function makes one file of a release in the folder. @returns its name */

export async function makeBillOfMaterials(root: string, folder: string, version: string): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  return write(folder, `namewatch-${version}.cdx.json`, stdout);
}

/** Names the chart so that it differs from the npm package beside it: helm would use the same name. */
export async function makeChart(root: string, folder: string, version: string): Promise<string> {
  const name = `namewatch-chart-${version}.tgz`;
  const helm = findHelm();
  if (helm === null) {
    // The same content as that of "helm package": one folder with the chart's name.
    await mustRun('tar', ['-czf', join(folder, name), '-C', join(root, 'deploy/helm'), 'namewatch'], root);
    return name;
  }
  const drafts = join(folder, '.chart');
  await mustRun(helm, ['package', join(root, 'deploy/helm/namewatch'), '--destination', drafts], root);
  renameSync(join(drafts, `namewatch-${version}.tgz`), join(folder, name));
  await mustRun('rmdir', [drafts], root);
  return name;
}

export function writeNotes(folder: string, notes: string): string {
  return write(folder, 'NOTES.md', `${notes}\n`);
}

/** Writes a file for `sha256sum --check`. */
export function writeChecksums(folder: string): string {
  const lines = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  return write(folder, 'SHA256SUMS', lines.join(''));
}

function write(folder: string, name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return name;
}
