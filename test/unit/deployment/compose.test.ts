import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/domain/api-key.js';
import { readConfig } from '../../../src/config/config.js';
import { composeFile, interpolated, required, ROOT } from './compose-file.js';
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
  it('gives every role few privileges and limited resources', () => {
    expect(deploymentProblems(composeFile())).toEqual([]);
  });

  it('requires exactly the variables that are empty in .env.example', () => {
    const explained = example.match(/^[A-Z_]+(?==$)/gm)?.sort();
    expect(explained).toEqual(required(composeFile()));
  });

  it.each(Object.keys(composeFile().services).filter((name) => !isStore(name)))(
    'gives the service %s valid settings',
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
