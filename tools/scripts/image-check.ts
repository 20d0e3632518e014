import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebhookReceiver } from '../../test/world/receiver.js';
import { writeBaseImage } from './image-check/base-image.js';
import { type Engine, findEngine } from './image-check/engines.js';
import { extendImage } from './image-check/additions.js';
import { Installation } from './image-check/installation.js';
import { Programs } from './image-check/programs.js';
import { measureSize } from './image-check/size.js';
import { startStores } from './image-check/stores.js';

/**
 * `npm run -s script -- image-check [docker | podman | buildah]`: builds the Dockerfile, runs every role from the image
 * with a PostgreSQL and a Redis of this machine, and prints what this does not show. If no program can build images, it
 * prints that, and fails with REQUIRE_IMAGE_BUILDER. It removes its temporary folder, images in Docker, and the
 * checksum cache of the other programs. The last line counts; exits with 1 if anything failed.
 */
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'namewatch-image-'));
chmodSync(folder, 0o711); // as root, PostgreSQL's user has to reach its data below
process.env['TMPDIR'] = folder;
const image = `namewatch-image-check:${process.pid}`;
const programs = new Programs(root);
const closers: (() => Promise<void>)[] = [];
const notShown: string[] = [];
let passed = 0;
let failed = 0;

const interrupted = Promise.withResolvers<never>();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => interrupted.reject(new Error(`stopped by ${signal}`)));

const engine = await findEngine(process.argv[2], programs, join(folder, 'engine')).catch(leaveOut);
if (engine !== null) {
  const work = check(engine);
  try {
    await Promise.race([work, interrupted.promise]);
  } catch (error) {
    failed += 1;
    console.error(`FAILED ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await programs.endAll();
    await Promise.allSettled([work]);
    for (const close of closers.reverse()) await close();
    await engine.clear();
  }
}
removeFolder();
for (const line of notShown) console.log(`not shown: ${line}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function check(engine: Engine): Promise<void> {
  notShown.push(...engine.shortcomings);
  const base = /^FROM (\S+)/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1] ?? '';
  await step('base image', () => provideBase(engine, base));
  await step('build', async () => {
    await engine.build(image, root);
    return `the Dockerfile, by ${engine.name}`;
  });
  await step('size', () => measureSize(engine, image, base));
  await step('additions', () => extendImage(engine, image, root, folder));
  const stores = await startStores(folder, (stop) => closers.push(stop));
  if (!stores.hasRedis) notShown.push('There was no Redis: the queue was in PostgreSQL.');
  const receiver = await WebhookReceiver.startTrusted();
  closers.push(() => receiver.close());
  const installation = new Installation(engine, image, stores.settings, receiver);
  await step('migrate', () => installation.migrate());
  await step('health checks', () => installation.startRoles());
  await step('README', () => installation.makeSixCalls(root, folder));
  await step('webhook', () => installation.receiveWebhook(() => programs.assertOpen()));
  await step('SIGTERM', () => installation.stop());
}

async function provideBase(engine: Engine, base: string): Promise<string> {
  if (await engine.pull(base)) return `${base} of its registry`;
  notShown.push(`The base image was not the published one, which no registry gave: it was made of Debian's packages.`);
  const made = join(folder, 'base');
  mkdirSync(made);
  await writeBaseImage(made, root);
  await engine.build(base, made);
  return `${base} made of Debian's packages, and of the Node and npm that run here`;
}

/** @param work returns what it has shown; an error ends the check, since the next step needs this step */
async function step(name: string, work: () => Promise<string>): Promise<void> {
  const began = performance.now();
  const shown = await work().catch((cause: unknown) => {
    throw new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  });
  passed += 1;
  console.log(`ok ${name}, ${Math.round((performance.now() - began) / 100) / 10} s: ${shown}`);
}

function leaveOut(reason: unknown): null {
  console.error(`The image was NOT checked: ${reason instanceof Error ? reason.message : String(reason)}.`);
  if (process.env['REQUIRE_IMAGE_BUILDER']) failed += 1;
  return null;
}

/** Unmounts what a stopped engine left mounted, so that nothing is removed through a mount. */
function removeFolder(): void {
  for (const mount of mountsBelow(folder).reverse()) spawnSync('umount', [mount]);
  if (mountsBelow(folder).length > 0) console.error(`${folder} is left, since something is mounted in it`);
  else rmSync(folder, { recursive: true, force: true });
}

function mountsBelow(path: string): string[] {
  if (process.platform !== 'linux') return [];
  const places = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return places.filter((place) => place.startsWith(`${path}/`));
}
