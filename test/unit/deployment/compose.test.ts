import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/domain/api-key-text.js';
import { readConfig } from '../../../src/config/config.js';
import { composeFile, interpolated, required, ROOT, type ComposeFile } from './compose-file.js';
import { deploymentProblems, isStore } from './compose-problems.js';

const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
const filledIn = {
  POSTGRES_PASSWORD: 'aa00',
  DATABASE_OWNER_PASSWORD: 'aa22',
  DATABASE_PASSWORD: 'aa11',
  REDIS_PASSWORD: 'bb22',
  MASTER_KEY: Buffer.alloc(32).toString('base64'),
  BOOTSTRAP_API_KEY: generateApiKey().text,
};

describe('docker-compose.yml', () => {
  it('deploys every role safely', () => {
    expect(deploymentProblems(composeFile())).toEqual([]);
  });

  it('asks for exactly the values that .env.example explains', () => {
    const explained = example.match(/^[A-Z_]+(?==$)/gm)?.sort();
    expect(explained).toEqual(required(composeFile()));
  });

  it.each(Object.keys(composeFile().services).filter((name) => !isStore(name)))(
    'gives %s a valid configuration',
    (name) => {
      const environment = Object.entries(composeFile().services[name]?.environment ?? {});
      const config = readConfig(
        Object.fromEntries(environment.map(([key, value]) => [key, interpolated(value, filledIn)])),
      );
      expect(config).toMatchObject({
        host: '0.0.0.0',
        role: name === 'migrate' ? 'all' : name,
        databaseUrl: 'postgres://namewatch:aa11@postgres:5432/namewatch',
        migrationDatabaseUrl: name === 'migrate' ? 'postgres://namewatch_owner:aa22@postgres:5432/namewatch' : null,
        redisUrl: 'redis://:bb22@valkey:6379',
        trustProxy: name === 'api',
      });
    },
  );
});

const broken = (change: (services: ComposeFile['services'], file: ComposeFile) => void): ComposeFile => {
  const file = composeFile();
  change(file.services, file);
  return file;
};

describe('the deployment check finds', () => {
  type Change = (services: Record<string, Record<string, unknown>>, file: Record<string, object>) => void;
  const set = (service: string, changes: object): Change => {
    return (services) => Object.assign(services[service] ?? {}, changes);
  };
  const setEnvironment = (service: string, changes: object): Change => {
    return (services) => Object.assign(services[service]?.['environment'] ?? {}, changes);
  };
  const replaced = (service: string, from: string, to: string): Change => {
    return (services) => {
      services[service] = JSON.parse(JSON.stringify(services[service]).replaceAll(from, to)) as Record<string, unknown>;
    };
  };

  it.each<[problem: string, Change]>([
    ['postgres publishes a port', set('postgres', { ports: ['5432:5432'] })],
    ['valkey publishes a port', set('valkey', { ports: ['127.0.0.1:6379:6379'] })],
    ['postgres is on outside, which is not internal', set('postgres', { networks: ['stores', 'outside'] })],
    ['valkey is on default, which is not internal', set('valkey', { networks: undefined })],
    ['postgres is not PostgreSQL 18', set('postgres', { image: 'postgres:17' })],
    ['postgres loses its data with the container', set('postgres', { volumes: ['postgres:/var/lib/postgresql/data'] })],
    ['postgres has no password of its own', setEnvironment('postgres', { POSTGRES_PASSWORD: 'postgres' })],
    ['valkey may evict jobs', replaced('valkey', 'noeviction', 'allkeys-lru')],
    ['valkey forgets the queue at a restart', replaced('valkey', 'appendonly yes', 'appendonly no')],
    ['valkey asks for no password', replaced('valkey', 'requirepass', 'protected-mode')],
    [
      'valkey shows REDIS_PASSWORD in the arguments of a process',
      replaced('valkey', '$$REDISCLI_AUTH', '${REDIS_PASSWORD:-}'),
    ],
    [
      'worker shows SMTP_URL in the arguments of a process',
      set('worker', { healthcheck: { test: ['CMD', 'probe', '$SMTP_URL'] } }),
    ],
    ['valkey loses its data with the container', set('valkey', { volumes: [] })],
    ['worker does not come back after a crash', set('worker', { restart: undefined })],
    ['postgres has no health check', set('postgres', { healthcheck: undefined })],
    ['scheduler has no health check', set('scheduler', { healthcheck: { disable: true } })],
    ['api sets DATABASE_POOLS, which is no setting', setEnvironment('api', { DATABASE_POOLS: '20' })],
    ['api starts without a given MASTER_KEY', setEnvironment('api', { MASTER_KEY: '${MASTER_KEY:-}' })],
    [
      'worker starts without a given DATABASE_URL',
      setEnvironment('worker', { DATABASE_URL: 'postgres://u:p@postgres/n' }),
    ],
    ['worker knows the password of the superuser', setEnvironment('worker', { SMTP_URL: '${POSTGRES_PASSWORD:-}' })],
    ['api may migrate', setEnvironment('api', { MIGRATION_DATABASE_URL: 'postgres://o:p@postgres/n' })],
    ['migrate may not migrate', setEnvironment('migrate', { MIGRATION_DATABASE_URL: undefined })],
    ['postgres makes no users', set('postgres', { volumes: ['postgres:/var/lib/postgresql'] })],
    [
      'worker has not the secrets that it needs, and no more',
      setEnvironment('worker', { BOOTSTRAP_API_KEY: '${BOOTSTRAP_API_KEY:?}' }),
    ],
    ['api reads the passwords of all others', set('api', { env_file: '.env' })],
    ['worker is built more than once, or never', set('worker', { build: '.' })],
    ['valkey has a floating image tag', set('valkey', { image: 'valkey/valkey:8' })],
    ['postgres can write to its image', set('postgres', { read_only: false })],
    ['valkey has capabilities of root', set('valkey', { cap_drop: [] })],
    ['scheduler may gain privileges', set('scheduler', { security_opt: [] })],
    ['postgres has no limits', set('postgres', { deploy: undefined })],
    ['api publishes 3000:3000 to the network', set('api', { ports: ['3000:3000'] })],
    ['api can write to its image', set('api', { read_only: false })],
    ['api has capabilities of root', set('api', { cap_drop: [] })],
    ['worker has capabilities of root', set('worker', { privileged: true })],
    ['worker has no data folder to itself', set('worker', { volumes: ['shared:/data'] })],
    ['scheduler has no data folder to itself', set('scheduler', { tmpfs: ['/tmp'] })],
    ['worker does not wait for PostgreSQL', replaced('worker', 'service_healthy', 'service_started')],
    ['worker does not wait for the queue', replaced('worker', 'service_healthy', 'service_started')],
    ['api does not wait for the migration', replaced('api', 'service_completed_successfully', 'service_started')],
    ['worker has not the role worker', setEnvironment('worker', { ROLE: 'all' })],
    ['worker has no second to take over', set('worker', { deploy: { replicas: 1 } })],
    ['scheduler has no second to take over', set('scheduler', { deploy: undefined })],
    ['worker is killed before it has drained', set('worker', { stop_grace_period: '20s' })],
    ['worker is killed before it has drained', setEnvironment('worker', { DRAIN_SECONDS: '60' })],
    ['worker is killed before it has drained', set('worker', { stop_grace_period: undefined })],
    ['migrate does not migrate', set('migrate', { command: ['up'] })],
    ['migrate is started again when it has done', set('migrate', { restart: 'always' })],
    ['scheduler is missing', (services) => delete services['scheduler']],
    ['adminer is not known here', (services) => void (services['adminer'] = { image: 'adminer' })],
    [
      'postgres is on stores, which is not internal',
      (_services, file) => Object.assign(file['networks'] ?? {}, { stores: {} }),
    ],
  ])('%s', (problem, change) => {
    const file = broken((services, whole) => change(services as never, whole as never));
    expect(deploymentProblems(file)).toContain(problem);
  });
});
