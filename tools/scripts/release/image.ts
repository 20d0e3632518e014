import { join } from 'node:path';
import { lastLines, runProgram } from '../extensions-check/commands.js';

/** Only Docker's format has a health check. Buildah's isolation needs no rights that a container lacks. */
export const BUILD_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  docker: [],
  podman: ['--format', 'docker'],
  buildah: ['--format', 'docker', '--isolation', 'chroot'],
};

/** A program that builds images, and its command to save an image as an archive. */
interface ImageBuilder {
  readonly program: string;
  readonly save: (tag: string, file: string) => readonly string[];
}

const BUILDERS: readonly ImageBuilder[] = [
  { program: 'docker', save: (tag, file) => ['save', '--output', file, tag] },
  { program: 'podman', save: (tag, file) => ['save', '--format', 'docker-archive', '--output', file, tag] },
  { program: 'buildah', save: (tag, file) => ['push', tag, `docker-archive:${file}:${tag}`] },
];

/** Returns the first program that works here: for example, docker needs its daemon. */
async function findImageBuilder(root: string): Promise<ImageBuilder | null> {
  for (const builder of BUILDERS) {
    const { code } = await runProgram(builder.program, ['info'], root).catch(() => ({ code: null }));
    if (code === 0) return builder;
  }
  return null;
}

/** @returns the name of the archive, or the reason why there is none */
export async function makeImage(
  root: string,
  folder: string,
  version: string,
): Promise<{ file: string } | { reason: string }> {
  const builder = await findImageBuilder(root);
  if (builder === null) return { reason: `neither ${BUILDERS.map(({ program }) => program).join(' nor ')} works here` };
  const { program, save } = builder;
  const file = `namewatch-image-${version}.tar`;
  const tag = `namewatch:${version}`;
  for (const words of [
    ['build', ...(BUILD_OPTIONS[program] ?? []), '--tag', tag, '.'],
    save(tag, join(folder, file)),
  ]) {
    const { code, output } = await runProgram(program, words, root);
    if (code !== 0) return { reason: `${program} ${words[0]} failed: ${lastLines(output, 1)}` };
  }
  return { file };
}
