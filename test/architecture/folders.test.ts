import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
/** More is no longer taken in at a glance: the folder gets rooms by subject. */
const MAX_FILES = 16;

function findCrowdedFolders(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const folders = Map.groupBy(entries, ({ parentPath }) => relative(root, parentPath));
  return [...folders].filter(([, files]) => files.length > MAX_FILES).map(([folder]) => folder);
}

describe(`a folder of src has at most ${MAX_FILES} files of its own`, () => {
  it('in the whole service', () => {
    expect(findCrowdedFolders(join(ROOT, 'src'))).toEqual([]);
  });

  it('or it is found', () => {
    const root = mkdtempSync(join(tmpdir(), 'namewatch-folders-'));
    mkdirSync(join(root, 'crowded/room'), { recursive: true });
    for (let i = 0; i <= MAX_FILES; i += 1) writeFileSync(join(root, 'crowded', `file-${i}.ts`), '');
    for (let i = 0; i < MAX_FILES; i += 1) writeFileSync(join(root, 'crowded/room', `file-${i}.ts`), '');
    try {
      expect(findCrowdedFolders(root)).toEqual(['crowded']);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
