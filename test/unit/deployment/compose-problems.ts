import { SETTINGS } from '../../../src/config/settings.js';
import { required, type ComposeFile, type Service } from './compose-file.js';

type Check = (service: Service, name: string, file: ComposeFile) => string[];

const STORES = ['postgres', 'valkey'];
const ONE_SHOT = 'migrate';
const HEALTHY = 'service_healthy';
const when = (wrong: boolean, problem: string) => (wrong ? [problem] : []);

export const SETTING_NAMES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ name }) => name));

const isOurs = (image: string) => image.startsWith('namewatch:');

/** For every container. */
const hardened: Check[] = [
  ({ read_only }) => when(read_only !== true, 'can write to its image'),
  ({ cap_drop, privileged }) => when(!cap_drop?.includes('ALL') || privileged === true, 'has capabilities of root'),
  ({ security_opt }) => when(!security_opt?.includes('no-new-privileges:true'), 'may gain privileges'),
  ({ deploy, pids_limit }) => {
    const { memory, cpus } = deploy?.resources?.limits ?? {};
    return when(!memory || !cpus || !pids_limit, 'has no limits');
  },
  ({ command, entrypoint, healthcheck }) =>
    variables([command, entrypoint, healthcheck?.test]).map((name) => `shows ${name} in the arguments of a process`),
  ({ image = '' }) => when(!isOurs(image) && !/:\d+\.\d+/.test(image), 'has a floating image tag'),
];

const stores: Check[] = [
  (service) => when((service.ports ?? []).length > 0, 'publishes a port'),
  (service, _name, { networks }) =>
    (service.networks ?? ['default'])
      .filter((network) => !networks[network]?.internal)
      .map((network) => `is on ${network}, which is not internal`),
];

const postgres: Check[] = [
  (service) => when(!/^postgres:18\.\d+$/.test(service.image ?? ''), 'is not PostgreSQL 18'),
  (service) => when(!service.volumes?.includes('postgres:/var/lib/postgresql'), 'loses its data with the container'),
  ({ environment = {} }) =>
    when(!required(environment['POSTGRES_PASSWORD']).includes('POSTGRES_PASSWORD'), 'has no password of its own'),
  ({ volumes = [] }) =>
    when(!volumes.some((volume) => volume.startsWith('./deploy/postgres-roles.sh:')), 'makes no users'),
];

const valkey: Check[] = [
  (service) => when(directive(service, 'maxmemory-policy') !== 'noeviction', 'may evict jobs'),
  (service) => when(directive(service, 'appendonly') !== 'yes', 'forgets the queue at a restart'),
  (service) =>
    when(
      directive(service, 'requirepass') !== '"$$REDISCLI_AUTH"' ||
        required(service.environment?.['REDISCLI_AUTH']).length === 0,
      'asks for no password',
    ),
  ({ volumes = [] }) => when(!volumes.includes('valkey:/data'), 'loses its data with the container'),
];

const lasting: Check[] = [
  ({ restart }) => when(restart !== 'unless-stopped', 'does not come back after a crash'),
  // The image brings a check of its own, which the test of the Dockerfile covers.
  ({ healthcheck, image = '' }) =>
    when(healthcheck?.disable === true || !(healthcheck?.test ?? isOurs(image)), 'has no health check'),
];

const ours: Check[] = [
  ({ environment = {} }) =>
    Object.keys(environment)
      .filter((name) => !SETTING_NAMES.has(name))
      .map((name) => `sets ${name}, which is no setting`),
  ({ environment = {} }) =>
    ['DATABASE_URL', 'REDIS_URL', 'MASTER_KEY']
      .filter((name) => required(environment[name]).length === 0)
      .map((name) => `starts without a given ${name}`),
  ({ environment = {} }, name) => {
    const mayMigrate = environment['MIGRATION_DATABASE_URL'] !== undefined;
    if (mayMigrate === (name === ONE_SHOT)) return [];
    return [mayMigrate ? 'may migrate' : 'may not migrate'];
  },
  ({ environment = {} }) =>
    when(JSON.stringify(environment).includes('POSTGRES_PASSWORD'), 'knows the password of the superuser'),
  ({ ports = [] }) =>
    ports.filter((port) => !port.startsWith('127.0.0.1:')).map((port) => `publishes ${port} to the network`),
  ({ env_file }) => when(env_file !== undefined, 'reads the passwords of all others'),
  ({ environment = {} }, name) =>
    when('BOOTSTRAP_API_KEY' in environment !== (name === 'api'), 'has not the secrets that it needs, and no more'),
  ({ build }, name) => when((build !== undefined) !== (name === ONE_SHOT), 'is built more than once, or never'),
  ({ tmpfs = [], environment = {}, volumes = [] }) =>
    when(
      volumes.length > 0 || !tmpfs.some((mount) => mount.startsWith(`${environment['DATA_DIR']}:uid=1000,`)),
      'has no data folder to itself',
    ),
  (service) => when(service.depends_on?.['postgres']?.condition !== HEALTHY, 'does not wait for PostgreSQL'),
];

const roles: Check[] = [
  ({ environment = {} }, name) => when(environment['ROLE'] !== name, `has not the role ${name}`),
  ({ deploy }, name) => when(name !== 'api' && !((deploy?.replicas ?? 1) >= 2), 'has no second to take over'),
  ({ depends_on = {} }) => [
    ...when(depends_on['valkey']?.condition !== HEALTHY, 'does not wait for the queue'),
    ...when(depends_on[ONE_SHOT]?.condition !== 'service_completed_successfully', 'does not wait for the migration'),
  ],
  (service, _name) =>
    when(!(secondsOf(service.stop_grace_period ?? '10s') > drainSeconds(service)), 'is killed before it has drained'),
];

const oneShot: Check[] = [
  ({ command }) => when(command?.join() !== 'migrate', 'does not migrate'),
  ({ restart }) => when(restart !== 'no', 'is started again when it has done'),
];

const CHECKS: Readonly<Record<string, readonly Check[]>> = {
  postgres: [...stores, ...postgres, ...lasting],
  valkey: [...stores, ...valkey, ...lasting],
  [ONE_SHOT]: [...ours, ...oneShot],
  ...Object.fromEntries(['api', 'worker', 'scheduler'].map((role) => [role, [...ours, ...roles, ...lasting]])),
};

/** The faults of the deployment beyond its form, a line each. */
export function deploymentProblems(file: ComposeFile): string[] {
  const missing = Object.keys(CHECKS).filter((name) => !file.services[name]);
  return [
    ...missing.map((name) => `${name} is missing`),
    ...Object.entries(file.services).flatMap(([name, service]) =>
      [...hardened, ...(CHECKS[name] ?? [() => ['is not known here']])].flatMap((check) =>
        check(service, name, file).map((problem) => `${name} ${problem}`),
      ),
    ),
  ];
}

export const isStore = (name: string) => STORES.includes(name);

/** A line of the configuration that the server reads from its input. */
function directive({ command = [] }: Service, name: string): string | undefined {
  const lines = (command.at(-1) ?? '').split('\n').map((line) => line.trim());
  return lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
}

/** The variables that compose puts in before it starts a process: `ps` and `docker inspect` show the outcome. */
function variables(words: unknown): string[] {
  return [...new Set(JSON.stringify(words).match(/(?<=(?<!\$)\$\{?)[A-Z]\w*/g))];
}

function drainSeconds({ environment = {} }: Service): number {
  return Number(environment['DRAIN_SECONDS'] ?? SETTINGS.drainSeconds.default);
}

function secondsOf(duration: string): number {
  const [, minutes = 0, seconds = 0] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}
