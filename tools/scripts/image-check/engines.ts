import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, type Program, runProgram } from '../extensions-check/commands.js';
import { family, type Programs, signal } from './programs.js';

/** How to start a container. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Files of this machine, by their path in the container. */
  readonly files?: Readonly<Record<string, string>>;
  /** A program to run as root instead of the image's own. */
  readonly program?: string;
}

export interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
}

interface InspectedImage {
  readonly Config: ImageConfig;
  /** Podman's place for the health check. */
  readonly Healthcheck?: ImageConfig['Healthcheck'];
}

/** Only Docker's format has a health check. Buildah's isolation needs no rights that a container lacks. */
export const BUILD_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  docker: [],
  podman: ['--format', 'docker'],
  buildah: ['--format', 'docker', '--isolation', 'chroot'],
};

/** Builds images and runs containers in this machine's network, since its PostgreSQL and Redis listen on 127.0.0.1. */
export abstract class Engine {
  protected readonly images: string[] = [];
  /** How its containers differ from those on a server. */
  abstract readonly shortcomings: readonly string[];

  /**
   * @param words the program, with the options of each call
   * @param folder the folder of its own store, if it has one
   */
  constructor(
    protected readonly words: readonly string[],
    protected readonly programs: Programs,
    protected readonly folder: string,
  ) {}

  get name(): string {
    return this.words[0] ?? '';
  }

  /** @returns whether the image is here now, perhaps from its registry */
  async pull(image: string): Promise<boolean> {
    if (await this.has(image)) return true;
    return (await this.programs.run([...this.words, 'pull', image])).code === 0;
  }

  async build(image: string, folder: string): Promise<void> {
    this.images.push(image);
    await this.must(['build', ...(BUILD_OPTIONS[this.name] ?? []), '--tag', image, folder]);
  }

  abstract config(image: string): Promise<ImageConfig>;
  abstract start(container: Container, words: readonly string[]): Promise<Program>;
  /** Asks a container to end, like `docker stop`. */
  abstract stop(program: Program): Promise<Ended>;
  abstract execute(container: Container, words: readonly string[]): Promise<Ended>;

  /** Removes files of other users from the folder. */
  async clear(): Promise<void> {
    if (process.getuid?.() !== 0) await this.afterwards(['unshare', 'rm', '-rf', this.folder]);
  }

  protected abstract has(image: string): Promise<boolean>;

  protected must(words: readonly string[]): Promise<string> {
    return this.programs.must([...this.words, ...words]);
  }

  /** Runs a command even if the check was stopped. */
  protected afterwards(words: readonly string[]): Promise<Ended> {
    return runProgram(this.name, [...this.words.slice(1), ...words], '/');
  }
}

/** Docker, or Podman, which has the same commands. */
class ContainerEngine extends Engine {
  readonly shortcomings = ['Containers had no network of their own.'];
  private readonly started = new Set<string>();

  async config(image: string): Promise<ImageConfig> {
    const [inspected] = JSON.parse(await this.must(['image', 'inspect', image])) as readonly [InspectedImage];
    return { ...inspected.Config, Healthcheck: inspected.Healthcheck ?? inspected.Config.Healthcheck };
  }

  /** Starts a container that is hardened as in docker-compose.yml. */
  start(container: Container, words: readonly string[]): Promise<Program> {
    const { image, settings = {}, files = {}, program } = container;
    const name = this.fullName(container);
    this.started.add(name);
    const options = [
      ...['--rm', '--name', name, '--network', 'host', '--read-only', '--cap-drop', 'ALL'],
      ...['--security-opt', 'no-new-privileges', '--tmpfs', '/tmp', '--volume', '/data'],
      ...Object.entries(settings).flatMap(([setting, value]) => ['--env', `${setting}=${value}`]),
      ...Object.entries(files).flatMap(([path, file]) => ['--volume', `${file}:${path}:ro`]),
      ...(program === undefined ? [] : ['--user', 'root', '--entrypoint', program]),
    ];
    const started = this.programs.start([...this.words, 'run', ...options, image, ...words]);
    const forget = ({ code }: Ended) => {
      if (code !== null) this.started.delete(name); // a client that was killed leaves the container
    };
    started.ended.then(forget, () => undefined);
    return Promise.resolve(started);
  }

  stop({ child, ended }: Program): Promise<Ended> {
    signal(child.pid, 'SIGTERM'); // the client passes it on
    return ended;
  }

  execute(container: Container, words: readonly string[]): Promise<Ended> {
    return this.programs.run([...this.words, 'exec', this.fullName(container), ...words]);
  }

  override async clear(): Promise<void> {
    for (const name of this.started) await this.afterwards(['rm', '--force', name]);
    if (this.name === 'docker') await this.afterwards(['rmi', '--force', ...this.images.toReversed()]);
    else await super.clear();
  }

  protected async has(image: string): Promise<boolean> {
    return (await this.programs.run([...this.words, 'image', 'inspect', image])).code === 0;
  }

  private fullName({ name }: Container): string {
    return `namewatch-check-${process.pid}-${name}`;
  }
}

/** Buildah, whose containers need neither a daemon nor rights over control groups. */
class Buildah extends Engine {
  readonly shortcomings = [
    'Containers had no network and no limits of their own, and a file system that can be written to.',
    'Each process got its signal itself, and no init process stood above it.',
  ];
  private readonly containers = new Map<string, Promise<string>>();

  async config(image: string): Promise<ImageConfig> {
    const inspected: unknown = JSON.parse(await this.must(['inspect', '--type', 'image', image]));
    return (inspected as { readonly Docker: { readonly config: ImageConfig } }).Docker.config;
  }

  async start(container: Container, words: readonly string[]): Promise<Program> {
    const { image, program } = container;
    const entry = program === undefined ? (await this.config(image)).Entrypoint : [program];
    return this.run(container, [...entry, ...words]);
  }

  stop({ child, ended }: Program): Promise<Ended> {
    signal(family(child.pid).at(-1), 'SIGTERM'); // buildah itself would kill the program
    return ended;
  }

  async execute(container: Container, words: readonly string[]): Promise<Ended> {
    return (await this.run(container, words)).ended;
  }

  protected async has(image: string): Promise<boolean> {
    return (await this.programs.run([...this.words, 'inspect', '--type', 'image', image])).code === 0;
  }

  private async run(container: Container, words: readonly string[]): Promise<Program> {
    const { name, image, settings = {}, files = {}, program } = container;
    const data = join(this.folder, `data-${name}`);
    mkdirSync(data, { recursive: true });
    const options = [
      ...['--isolation', 'chroot', '--volume', `${data}:/data:U`],
      ...Object.entries(settings).flatMap(([setting, value]) => ['--env', `${setting}=${value}`]),
      ...Object.entries(files).flatMap(([path, file]) => ['--volume', `${file}:${path}:ro`]),
      ...(program === undefined ? [] : ['--user', 'root']),
    ];
    return this.programs.start([...this.words, 'run', ...options, await this.containerOf(image), '--', ...words]);
  }

  /** Returns the image's container. All its processes share it, each with its own data folder. */
  private containerOf(image: string): Promise<string> {
    const container = this.containers.get(image) ?? this.must(['from', '--pull-never', image]).then((id) => id.trim());
    this.containers.set(image, container);
    return container;
  }
}

/** `vfs` copies every image as a whole, but works where `overlay` does not. */
const STORAGE_DRIVERS = ['overlay', 'vfs'];

/**
 * Finds a program that builds images here: a working Docker, Podman or Buildah, or the named program.
 * @param folder for the images, except Docker's, which has its own place
 */
export async function findEngine(wanted: string | undefined, programs: Programs, folder: string): Promise<Engine> {
  if (process.platform !== 'linux') throw new Error('containers share the network of this machine, which needs Linux');
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver'];
  for (const name of wanted === undefined ? Object.keys(BUILD_OPTIONS) : [wanted])
    for (const words of name === 'docker' ? [[name]] : STORAGE_DRIVERS.map((driver) => [name, ...store, driver])) {
      const { code } = await programs.run([...words, 'info']).catch(() => ({ code: null }));
      if (code === 0) return new (name === 'buildah' ? Buildah : ContainerEngine)(words, programs, folder);
    }
  throw new Error(
    `there is no ${wanted ?? 'Docker that answers, no podman and no buildah'}: on Debian, apt-get install buildah`,
  );
}
