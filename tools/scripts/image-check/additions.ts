import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fencedBlocks } from '../../../test/support/documents/markdown.js';
import { lastLines, mustRun } from '../extensions-check/commands.js';
import type { Container, Engine } from './engines.js';

const PACKAGE = '@acme/namewatch-slack';
const SOURCE = `import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { defineExtension } from 'namewatch';
class Empty {}
Module({})(Empty);
export default defineExtension({ name: 'slack', compatibility: '*', module: Empty });
`;

/**
 * Builds an image on this image as docs/extending.md and docs/observability.md say, but with a tarball instead of a
 * package from a registry. The extension imports Namewatch and Nest, and second copies of them would be refused.
 */
export async function extendImage(engine: Engine, image: string, root: string, folder: string): Promise<string> {
  const context = join(folder, 'extension');
  const tarball = await packExtension(context);
  const additions = ['docs/extending.md', 'docs/observability.md'].map((path) => addition(join(root, path))).join('');
  if (!additions.includes(`npm install ${PACKAGE}\n`)) throw new Error(`docs/extending.md does not install ${PACKAGE}`);
  const here = additions.replace(`npm install ${PACKAGE}`, `npm install /tmp/${tarball}`);
  writeFileSync(join(context, 'Dockerfile'), `FROM ${image}\nCOPY ${tarball} /tmp/\n${here}`);
  const extended = `${image}-extended`;
  await engine.build(extended, context);
  const settings = { RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off' };
  await mustSay(engine, { name: 'extension', image: extended, settings }, ['explain', 'available.test'], ': available');
  const script = `if (globalThis[Symbol.for('opentelemetry.js.api.1')]?.trace) console.log('traces')`;
  await mustSay(engine, { name: 'traces', image: extended, program: 'node' }, ['--eval', script], 'traces');
  return `${PACKAGE} and traces were added as documented`;
}

/** Returns the lines that a document adds to the image. */
function addition(path: string): string {
  const blocks = fencedBlocks(readFileSync(path, 'utf8')).filter(({ language }) => language === 'dockerfile');
  const [, lines] = /^FROM namewatch\n([^]+)$/.exec(blocks[0]?.code ?? '') ?? [];
  if (blocks.length !== 1 || lines === undefined)
    throw new Error(`${path} has not one Dockerfile that begins with ours`);
  return `${lines}\n`;
}

async function mustSay(engine: Engine, container: Container, words: readonly string[], said: string): Promise<void> {
  const { code, output } = await (await engine.start(container, words)).ended;
  if (code !== 0 || !output.includes(said)) throw new Error(lastLines(output));
}

/** Packs the extension. @returns the name of the file in the folder */
async function packExtension(folder: string): Promise<string> {
  const manifest = { name: PACKAGE, version: '1.0.0', type: 'module', exports: './index.js' };
  const peers = { peerDependencies: { namewatch: '^1.0.0', '@nestjs/common': '^12.0.0' } };
  mkdirSync(join(folder, 'package'), { recursive: true });
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ ...manifest, ...peers }));
  writeFileSync(join(folder, 'package/index.js'), SOURCE);
  return (await mustRun('npm', ['pack', '--silent', './package'], folder)).trim();
}
