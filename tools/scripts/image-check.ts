import { randomBytes } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startEmbeddedPostgres } from '../../src/process/postgres/embedded-postgres.js';
import { eventually } from '../../test/support/eventually.js';
import { lastLines, mustRun, type Program, runProgram, startProgram } from './extensions-check/commands.js';
import { writeBaseImage } from './image-check/base-image.js';
import { BUILD_OPTIONS } from './release/image.js';

/**
 * `npm run -s script -- image-check [docker | podman | buildah]`: builds the Dockerfile, runs every role from the image
 * with a PostgreSQL of this machine until its health check passes, asks it, and stops it. If no program can build
 * images, the script says so, and fails with REQUIRE_IMAGE_BUILDER. The last line counts.
 */
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'namewatch-image-'));
const image = `namewatch-image-check:${process.pid}`;
const [program = '', ...store] = await findEngine(process.argv[2]);
/** As the image's own health check asks. */
const [, HEALTH = ''] =
  /"bash", "-c", "(.*)"\]$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\\', '\\')) ?? [];
const closers: (() => Promise<unknown>)[] = [];
let [passed, failed] = [0, 0];
if (program === '') {
  console.error('The image was NOT checked: no docker that answers, no podman and no buildah');
  if (process.env['REQUIRE_IMAGE_BUILDER']) failed = 1;
} else
  try {
    await check();
  } catch (error) {
    failed = 1;
    console.error(`FAILED ${error instanceof Error ? error.message : String(error)}`);
  }
for (const close of closers.reverse()) await close();
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed);

/** `vfs` copies every image as a whole, but works in a container too. */
async function findEngine(wanted: string | undefined): Promise<string[]> {
  const own = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  for (const name of wanted === undefined ? Object.keys(BUILD_OPTIONS) : [wanted]) {
    const words = name === 'docker' ? [name] : [name, ...own];
    const { code } = await runProgram(name, [...words.slice(1), 'info'], root).catch(() => ({ code: null }));
    if (code === 0) return words;
  }
  return [];
}

async function check(): Promise<void> {
  const base = /^FROM (\S+)/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1] ?? '';
  if ((await runProgram(program, [...store, 'pull', base], root)).code !== 0) await step('base image', makeBase(base));
  await step('build', build(image, root));
  const postgres = await startEmbeddedPostgres({ cluster: join(folder, 'pg'), password: 'check', fast: true });
  closers.push(postgres.stop);
  const settings = {
    DATABASE_URL: postgres.url,
    MASTER_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1', // because the containers use this machine's network
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
  };
  await step('migrate', run(settings, ['migrate']).then(succeeded));
  await step('explain', run(settings, ['explain', 'available.test']).then(succeeded));
  for (const role of ['api', 'worker', 'scheduler']) await step(role, tryRole({ ...settings, ROLE: role }));
}

/** Made of Debian's packages and this Node, where no registry gives the published image. */
async function makeBase(base: string): Promise<void> {
  const made = join(folder, 'base');
  mkdirSync(made);
  await writeBaseImage(made, root);
  await build(base, made);
}

function build(tag: string, from: string): Promise<string> {
  return mustRun(program, [...store, 'build', ...(BUILD_OPTIONS[program] ?? []), '--tag', tag, from], root);
}

async function tryRole(settings: Readonly<Record<string, string>>): Promise<void> {
  const PORT = String(await freePort());
  const started = await run({ ...settings, PORT }, ['up']);
  const isReady = () =>
    fetch(`http://127.0.0.1:${PORT}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  const [ready, ended] = [eventually(isReady, (yes) => yes), started.ended.then(({ output }) => lastLines(output))];
  const early = await Promise.race([ready.then(() => null), ended]);
  if (early !== null) throw new Error(`${settings['ROLE']} ended:\n${early}`);
  const health = await run({ ...settings, PORT }, ['-c', HEALTH], 'bash');
  await succeeded(health);
  process.kill(programOf(started.child.pid), 'SIGTERM');
  await succeeded(started);
}

/** Starts the image's program, hardened as in docker-compose.yml, or another program in the image. */
async function run(settings: Readonly<Record<string, string>>, words: readonly string[], other?: string) {
  const env = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  if (program !== 'buildah') {
    const hardened = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--tmpfs', '/tmp'];
    const entry = other === undefined ? [] : ['--entrypoint', other];
    const options = ['run', '--rm', '--network', 'host', ...hardened, '--volume', '/data', ...env, ...entry, image];
    return start([...options, ...words]);
  }
  const container = (await mustRun(program, [...store, 'from', '--pull-never', image], root)).trim();
  const entry = other === undefined ? ['node', '/app/bin/namewatch.mjs'] : [other];
  return start(['run', '--isolation', 'chroot', ...env, container, '--', ...entry, ...words]);
}

function start(words: readonly string[]): Program {
  const started = startProgram(program, [...store, ...words], { cwd: root, timeoutMs: 600_000, detached: true });
  closers.push(async () => {
    if (started.child.exitCode === null) process.kill(programOf(started.child.pid), 'SIGTERM'); // a failed check
    await started.ended.catch(() => undefined);
  });
  return started;
}

/** Docker passes a signal on, buildah would kill: below buildah, the last process is the image's program. */
function programOf(pid = 0): number {
  const children = globSync(`/proc/${pid}/task/*/children`).map((file) => readFileSync(file, 'utf8'));
  const child = children.join(' ').trim().split(/\s+/).at(-1);
  return program === 'docker' || !child ? pid : programOf(Number(child));
}

async function succeeded({ ended }: Program): Promise<void> {
  const { code, output } = await ended;
  if (code !== 0) throw new Error(`it ended with ${code}:\n${lastLines(output)}`);
}

async function step(name: string, work: Promise<unknown>): Promise<void> {
  const began = performance.now();
  await work.catch((cause: unknown) => {
    throw new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  });
  passed += 1;
  console.log(`ok ${name}, ${Math.round((performance.now() - began) / 100) / 10} s`);
}
