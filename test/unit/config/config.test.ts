import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../../src/auth/index.js';
import { readConfig } from '../../../src/config/config.js';
import { InvalidConfigurationError } from '../../../src/config/invalid-configuration.error.js';
import { SETTINGS } from '../../../src/config/settings.js';
import { withCurrentLogin } from '../../../src/platform/current-login.js';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
const folder = mkdtempSync(join(tmpdir(), 'namewatch-config-'));
const file = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof InvalidConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

const OIDC = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'namewatch', OIDC_CLIENT_SECRET: 'hush' };
const PUBLIC_URL = 'https://names.example';
const NAMES = Object.values(SETTINGS).map(({ name }) => name);

/** Belong to shells, systemd, containers, PostgreSQL, Redis, mail programs, proxies, Node and CI. */
const OTHER_NAMES = `
  USER PWD OLDPWD SHLVL TERM COLORTERM LANG LANGUAGE LC_ALL TZ EDITOR VISUAL PAGER MAIL MAILTO TMPDIR TEMP DISPLAY HISTFILE
  XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR XDG_SESSION_ID SSH_AUTH_SOCK SSH_CONNECTION DBUS_SESSION_BUS_ADDRESS
  INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID NOTIFY_SOCKET MAINPID STATE_DIRECTORY LOGS_DIRECTORY RUNTIME_DIRECTORY
  KUBERNETES_SERVICE_HOST KUBERNETES_PORT NAMEWATCH_PORT NAMEWATCH_SERVICE_HOST POD_NAME POD_IP NODE_NAME NAMESPACE
  PGHOST PGPORT PGUSER PGPASSWORD PGDATA POSTGRES_DB POSTGRES_USER POSTGRES_PASSWORD DATABASE_NAME DATABASE_HOST DATABASE_USER
  REDIS_HOST REDIS_PORT REDIS_PASSWORD SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASS SMTP_FROM PORT_NAME HOST_NAME HOSTTYPE
  HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY SSL_CERT_FILE SSL_CERT_DIR OPENSSL_CONF NODE_OPTIONS NODE_PATH
  NODE_EXTRA_CA_CERTS UV_THREADPOOL_SIZE CI DEBUG VERBOSE PUBLIC_DIR API_KEY API_URL BASE_URL APP_URL SECRET_KEY
  OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES OTEL_METRICS_EXPORTER OTEL_LOGS_EXPORTER
  OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_METRICS_ENDPOINT GITHUB_TOKEN DATA_HOME
`
  .trim()
  .split(/\s+/);

describe('the settings', () => {
  it('are all optional', () => {
    expect(readConfig({})).toMatchObject({ role: 'all', databaseUrl: null, redisUrl: null, defaultPlan: 'selfhost' });
  });

  it('each explain why installations need different values', () => {
    expect(Object.values(SETTINGS).filter(({ differs = '' }) => differs === '')).toEqual([]);
  });

  it('cannot be changed once they are read', () => expect(Object.isFrozen(readConfig({}))).toBe(true));

  it('treat an empty value as not set', () => expect(readConfig({ DATABASE_URL: '', PORT: '' }).port).toBe(3_000));

  it('are converted to lists, numbers, booleans or null as each needs', () => {
    const config = readConfig({
      RDAP_OVERRIDES: 'Example=http://127.0.0.1:8080/rdap/, demo=https://rdap.example/',
      RDAP_BOOTSTRAP_URL: 'off',
      SANDBOX: 'off',
      TRUST_PROXY: '10.0.0.0/8,127.0.0.1',
      TIME_SCALE: '60',
    });
    expect([...config.rdapOverrides]).toEqual([
      ['example', 'http://127.0.0.1:8080/rdap/'],
      ['demo', 'https://rdap.example/'],
    ]);
    expect(config).toMatchObject({ sandbox: false, trustProxy: ['10.0.0.0/8', '127.0.0.1'], timeScale: 60 });
    expect(config.rdapBootstrapUrl).toBeNull();
  });

  it('take MASTER_KEY from the file that MASTER_KEY_FILE names', () => {
    const MASTER_KEY_FILE = file('master', `${MASTER_KEY}\n`);
    expect(readConfig({ MASTER_KEY_FILE }).masterKeys).toEqual([MASTER_KEY]);
  });

  it('set up sign-in with an OpenID provider, or none without OIDC settings', () => {
    expect(readConfig({}).openId).toBe(null);
    const { OIDC_CLIENT_SECRET, ...others } = OIDC;
    const OIDC_CLIENT_SECRET_FILE = file('client-secret', `${OIDC_CLIENT_SECRET}\n`);
    expect(readConfig({ ...others, OIDC_CLIENT_SECRET_FILE, PUBLIC_URL }).openId).toEqual({
      issuer: 'https://login.example',
      clientId: 'namewatch',
      clientSecret: 'hush',
      groupsClaim: null,
    });
    const local = { ...OIDC, OIDC_ISSUER: 'http://127.0.0.1:9000', PUBLIC_URL: 'http://localhost:3000' };
    expect(readConfig(local).openId?.issuer).toBe('http://127.0.0.1:9000');
  });

  it('keep the file path of a URL, so that later connections use a changed login', () => {
    const address = 'rediss+sentinel://user:one@10.0.0.1,10.0.0.2:26380/main/2?sslrootcert=/ca.pem';
    const redis = file('redis', `${address}\n`);
    const database = file('database', 'postgres://user:one@10.0.0.3/namewatch\n');
    const { redisUrl, databaseUrl } = readConfig({ REDIS_URL_FILE: redis, DATABASE_URL_FILE: database, MASTER_KEY });
    writeFileSync(redis, address.replace('user:one', 'other:t%77o'));
    writeFileSync(database, 'postgres://user:p@ss@10.0.0.3/namewatch');
    expect(withCurrentLogin(redisUrl ?? '')).toMatch(/^rediss\+sentinel:\/\/other:t%77o@10\.0\.0\.1\/main\/2\?/);
    expect(withCurrentLogin(databaseUrl ?? '')).toMatch(/^postgres:\/\/user:p%40ss@10\.0\.0\.3\/namewatch\?/);
    rmSync(database);
    expect(withCurrentLogin(databaseUrl ?? '')).toMatch(/^postgres:\/\/user:one@10/);
  });

  it('list former master keys after the current one', () => {
    const former = Buffer.alloc(32, 8).toString('base64');
    expect(readConfig({ MASTER_KEY, MASTER_KEY_PREVIOUS: former }).masterKeys).toEqual([MASTER_KEY, former]);
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ PORT: 'http' }, /^PORT must be a whole number from 0 to 65535, not "http"$/],
    [{ PORT: '70000' }, /^PORT must be/],
    [{ LEASE_SECONDS: '1' }, /^LEASE_SECONDS must be a whole number from 2 to 600/],
    [{ ROLE: 'boss' }, /^ROLE must be one of all, api, worker, scheduler, not "boss"$/],
    [{ SANDBOX: 'maybe' }, /^SANDBOX must be on or off/],
    [{ RDAP_OVERRIDES: 'com' }, /^RDAP_OVERRIDES must be/],
    [{ LOOKUP_ALLOW_NETWORKS: '10.0.0.0/99' }, /^LOOKUP_ALLOW_NETWORKS must be/],
    [{ LOOKUP_ALLOW_NETWORKS: '10.1' }, /^LOOKUP_ALLOW_NETWORKS must be/],
    [{ TRUST_PROXY: 'notanetwork' }, /^TRUST_PROXY must be on, off, or a list of networks .*, not "notanetwork"$/],
    [{ TRUST_PROXY: '10.0.0.0/33' }, /^TRUST_PROXY must be/],
    [{ TRUST_PROXY: '10.0.0.0/8,' }, /^TRUST_PROXY must be/],
    [{ TRUST_PROXY: '10' }, /^TRUST_PROXY must be/],
    [{ TRUST_PROXY: '0.0.0.0/0' }, /^TRUST_PROXY must be/],
    [{ TRUST_PROXY: '::ffff:10.0.0.0/104' }, /^TRUST_PROXY must be/],
    [{ DNS_SERVERS: 'ns.example:53' }, /^DNS_SERVERS must be/],
    [{ DNS_SERVERS: '127.0.0.1:70000' }, /^DNS_SERVERS must be/],
    [{ WHOIS_OVERRIDES: 'de=whois.example:0' }, /^WHOIS_OVERRIDES must be/],
    [{ DATABASE_URL: 'postgres://a,,b/y', MASTER_KEY }, /^DATABASE_URL must be a URL .* hosts separated by commas$/],
    [
      { DATABASE_URL: 'postgres://a,b/y?target_session_attrs=standby', MASTER_KEY },
      /^DATABASE_URL: target_session_attrs must be read-write or primary/,
    ],
    [{ REDIS_URL: 'redis+sentinel://a,b' }, /^REDIS_URL must be a URL .* hosts and the name of the primary$/],
    [{ REDIS_URL: 'redis+sentinel://a,,b/main' }, /^REDIS_URL must be a URL /],
    [{ REDIS_URL: 'redis://a,b' }, /^REDIS_URL must be a URL /],
    [{ DATABASE_URL: 'postgres://x/y' }, /^MASTER_KEY is required with DATABASE_URL/],
    [
      { MASTER_KEY_PREVIOUS: MASTER_KEY },
      /^MASTER_KEY_PREVIOUS needs MASTER_KEY: the key that takes the place of those$/,
    ],
    [{ MASTER_KEY: 'short' }, /^MASTER_KEY must be the base64 of 32 bytes$/],
    [{ BOOTSTRAP_API_KEY: 'hunter2' }, /^BOOTSTRAP_API_KEY must be a Namewatch key: make one with/],
    [{ SMTP_URL: 'smtp://127.0.0.1' }, /^MAIL_FROM is required with SMTP_URL/],
    [{ ROLE: 'worker', NOTIFICATIONS_EMAIL_CONFIRMATION: 'true' }, /^PUBLIC_URL is required .* have to confirm/],
    [
      { ROLE: 'api', SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'a@b.example' },
      /^PUBLIC_URL is required .* have to confirm/,
    ],
    [{ TIME_SCALE: '2' }, /^TIME_SCALE above 1 needs RDAP_BOOTSTRAP_URL=off/],
    [
      { OIDC_ISSUER: 'https://login.example', PUBLIC_URL },
      /^OIDC_CLIENT_ID is required with OIDC_ISSUER\nOIDC_CLIENT_SECRET/,
    ],
    [{ OIDC_GROUPS_CLAIM: 'groups', PUBLIC_URL }, /^OIDC_ISSUER is required with OIDC_GROUPS_CLAIM\n/],
    [OIDC, /^PUBLIC_URL is required with OIDC_ISSUER: the provider sends people back to it/],
    [{ ...OIDC, PUBLIC_URL: 'http://names.example' }, /^PUBLIC_URL must be https with OIDC_ISSUER/],
    [{ ...OIDC, PUBLIC_URL, OIDC_ISSUER: 'http://login.example' }, /^OIDC_ISSUER must be an https URL/],
    [{ ...OIDC, PUBLIC_URL, OIDC_ISSUER: 'https://login.example/?tenant=1' }, /^OIDC_ISSUER must be an https URL/],
    [{ ...OIDC, PUBLIC_URL, OIDC_ISSUER: 'https://me:hush@login.example' }, /^OIDC_ISSUER must be [^@]+$/],
    [{ PLANS_FILE: '/no/such/file' }, /^PLANS_FILE: cannot read .*no such file$/],
    [{ PLANS_FILE: file('broken.json', '{') }, /^PLANS_FILE: .* is not JSON/],
    [{ MASTER_KEY, MASTER_KEY_FILE: '/x' }, /^MASTER_KEY and MASTER_KEY_FILE are both set/],
    [{ DATABSE_URL: 'x' }, /^DATABSE_URL is no setting; DATABASE_URL is$/],
    [{ DATABSAE_URLS: 'x' }, /^DATABSAE_URLS is no setting; DATABASE_URL is$/],
  ])('refuse these values: %j', (env, problem) => expect(problemsOf(env).join('\n')).toMatch(problem));

  it.each(NAMES)('refuse the name %s if any two neighbouring letters are swapped', (name) => {
    const swapped = Array.from(
      name,
      (letter, at) => `${name.slice(0, at)}${name[at + 1]}${letter}${name.slice(at + 2)}`,
    )
      .slice(0, -1)
      .filter((typed) => typed !== name);
    expect(swapped.map((typed) => problemsOf({ [typed]: 'x' }))).toEqual(
      swapped.map((typed) => [`${typed} is no setting; ${name} is`]),
    );
  });

  it('report all problems at once', () => {
    expect(problemsOf({ PORT: 'x', ROLE: 'x', TIME_SCALE: '0', DATABSE_URL: 'x' })).toHaveLength(4);
  });

  it('report a missing setting even if the setting that requires it is invalid', () => {
    const problems = problemsOf({ SMTP_URL: 'mail.example', DATABASE_URL: 'mysql://x/y' });
    expect(problems.map((problem) => problem.split(' ', 3).slice(0, 3).join(' '))).toEqual([
      'DATABASE_URL must be',
      'SMTP_URL must be',
      'MASTER_KEY is required',
      'MAIL_FROM is required',
    ]);
  });

  it('never show, in error messages, a value that may hold a password', () => {
    const problems = problemsOf({ DATABASE_URL: 'mysql://u:hunter2@h/d', REDIS_URL: 'hunter2', MASTER_KEY: 'hunter2' });
    expect(problems.length).toBeGreaterThanOrEqual(3);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('ignore environment variables of other programs', () => {
    const env = {
      HOME: '/root',
      PATH: '/bin',
      HOSTNAME: 'a',
      LOGNAME: 'root',
      SHELL: '/bin/sh',
      PORTAGE: '1',
      NODE_ENV: 'x',
    };
    expect(problemsOf(env)).toEqual([]);
    expect(problemsOf(Object.fromEntries(OTHER_NAMES.map((name) => [name, 'x'])))).toEqual([]);
  });

  it('accept a generated API key as BOOTSTRAP_API_KEY', () => {
    const { text } = generateApiKey();
    expect(readConfig({ BOOTSTRAP_API_KEY: text }).bootstrapApiKey).toBe(text);
  });
});

it.each(['README.md', '.env.example'])('%s names only settings that exist', (path) => {
  const text = readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
  const words = [...text.matchAll(/\b[A-Z]{2,}(?:_[A-Z]+)+\b/g)].map(([word]) => word);
  // A reader's own, and those of Compose.
  const passwords = ['POSTGRES_PASSWORD', 'DATABASE_OWNER_PASSWORD', 'DATABASE_PASSWORD', 'REDIS_PASSWORD'];
  const others = ['WEBHOOK_SECRET', ...passwords];
  expect(words).not.toEqual([]);
  expect(words.filter((word) => !NAMES.includes(word) && !others.includes(word))).toEqual([]);
});
