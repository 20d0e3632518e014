import { lastLines } from '../extensions-check/commands.js';
import type { Engine } from './engines.js';

const LIMIT_MB = 60;
const LARGEST = 10;

/** Compares the file sizes of both images, and lists the largest folders. @throws Error if the image is too large */
export async function measureSize(engine: Engine, image: string, base: string): Promise<string> {
  const size = megabytes((await totalSize(engine, image)) - (await totalSize(engine, base)));
  const parts = (await diskUsage(engine, image, ['--max-depth=2', '/app'])).filter(({ path }) => path !== '/app');
  const largest = parts.toSorted((a, b) => b.bytes - a.bytes).slice(0, LARGEST);
  if (size > LIMIT_MB) throw new Error(`${size} MB above ${base}, which are to be ${LIMIT_MB} at most`);
  const listed = largest.map(({ bytes, path }) => `  ${megabytes(bytes).toFixed(1).padStart(5)} MB ${path}`);
  return [`${size} MB above ${base}, of which`, ...listed].join('\n');
}

async function totalSize(engine: Engine, image: string): Promise<number> {
  const [total] = await diskUsage(engine, image, ['--summarize', '/']);
  if (!total) throw new Error(`du says nothing of ${image}`);
  return total.bytes;
}

async function diskUsage(engine: Engine, image: string, words: readonly string[]) {
  const options = ['--one-file-system', '--bytes', ...words];
  const { code, output } = await (await engine.start({ name: 'size', image, program: 'du' }, options)).ended;
  if (code !== 0) throw new Error(lastLines(output));
  const lines = output.matchAll(/^(\d+)\t(.+)$/gm); // engines add their own warnings
  return [...lines].map(([, bytes, path = '']) => ({ bytes: Number(bytes), path }));
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 100_000) / 10;
}
