import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of src that are named in `exports` of package.json. */
export const ENTRIES = ['kit', 'testing'] as const;
export type Entry = (typeof ENTRIES)[number];

/**
 * Writes the declarations of both entries and of all files that they import to `folder`.
 * @throws Error with the compiler's message
 */
export function emitDeclarations(root: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, '../node_modules'));
  const settings = join(folder, '../tsconfig.json');
  const compilerOptions = {
    rootDir: join(root, 'src'),
    outDir: folder,
    noEmit: false,
    noCheck: true, // another step of CI checks types
    declaration: true,
    stripInternal: true,
    emitDeclarationOnly: true,
    sourceMap: false,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const files = ENTRIES.map((entry) => join(root, `src/${entry}.ts`));
  writeFileSync(
    settings,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }),
  );
  const compiler = join(import.meta.dirname, '../../node_modules/typescript-7/bin/tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', settings], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the declarations do not compile:\n${stdout}${stderr}`);
  symlinkSync(join(root, 'package.json'), join(folder, 'package.json'));
}
