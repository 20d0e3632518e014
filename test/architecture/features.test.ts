import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const MODULES = ['domains', 'watchlist', 'notifications', 'auth'];

type Sources = ReadonlyMap<string, string>;

function sourcesOf(module: string): Sources {
  const folder = join(ROOT, 'src', module);
  return new Map(globSync('**/*.ts', { cwd: folder }).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

/** The folder of a file; null for files of the module itself, which put the features together, and for the domain. */
function featureOf(file: string): string | null {
  const [feature = '', ...rest] = file.split('/');
  return rest.length === 0 || feature === 'domain' ? null : feature;
}

/** Returns which feature imports which, as `checks --> records`, sorted. */
function findImports(sources: Sources): string[] {
  const found = new Set<string>();
  for (const [file, text] of sources) {
    const from = featureOf(file);
    for (const [, path = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const to = featureOf(join(dirname(file), path));
      if (from && to && to !== '..' && to !== from) found.add(`${from} --> ${to}`);
    }
  }
  return [...found].sort();
}

/** Returns the features of a circle in the order of its imports; empty if there is none. */
function findCircle(imports: readonly string[]): string[] {
  const targets = Map.groupBy(imports, (line) => line.split(' --> ')[0]);
  const follow = (path: string[]): string[] => {
    for (const line of targets.get(path.at(-1)) ?? []) {
      const next = line.split(' --> ')[1] ?? '';
      if (path.includes(next)) return [...path.slice(path.indexOf(next)), next];
      const circle = follow([...path, next]);
      if (circle.length > 0) return circle;
    }
    return [];
  };
  return [...targets.keys()].map((feature) => follow([feature ?? ''])).find((circle) => circle.length > 0) ?? [];
}

/** Returns the arrows that docs/architecture.md draws for a module, sorted. */
function findDrawing(module: string): string[] {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const drawing = page
    .split('```mermaid')
    .find((part) => part.includes(`%% src/${module}\n`))
    ?.split('```')[0];
  return (drawing?.match(/^ *[\w-]+ --> [\w-]+(?: & [\w-]+)*$/gm) ?? [])
    .flatMap((line) => {
      const [from = '', targets = ''] = line.trim().split(' --> ');
      return targets.split(' & ').map((to) => `${from} --> ${to}`);
    })
    .sort();
}

describe.each(MODULES)('the feature folders of src/%s', (module) => {
  const imports = findImports(sourcesOf(module));

  it('import each other exactly as the diagram in docs/architecture.md shows', () => {
    expect(imports).toEqual(findDrawing(module));
  });

  it('have no circular imports', () => {
    expect(findCircle(imports)).toEqual([]);
  });
});
