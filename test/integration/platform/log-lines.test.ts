import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { generateApiKey } from '../../../src/auth/index.js';
import { serviceDatabase } from '../../support/servers/test-service.js';
import { eventually } from '../../support/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000); // a whole process starts, also on a busy machine

type Line = Readonly<Record<string, unknown>>;

const key = generateApiKey().text;
const lines: string[] = [];
let service: ServiceProcess;

async function start(settings: Record<string, string>): Promise<ServiceProcess> {
  const database = { DATABASE_URL: await serviceDatabase(), MASTER_KEY: randomBytes(32).toString('base64') };
  const quiet = { RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LOG_LEVEL: 'info', BOOTSTRAP_API_KEY: key };
  return startServiceProcess({ ...database, ...quiet, ...settings }, (line) => lines.push(line));
}
const call = (path: string, body?: object, headers: Record<string, string> = {}) =>
  fetch(`${service.address}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
const json = () => lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
const seen = (fields: object) =>
  eventually(
    () => Promise.resolve(json().find((line) => Object.entries(fields).every(([name, value]) => line[name] === value))),
    (line) => line !== undefined,
  );

describe('the JSON log', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traced = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
  const sdk = pathToFileURL(join(import.meta.dirname, '../../support/fakes/recorded-traces.ts')).href;
  beforeAll(async () => {
    service = await start({ NODE_OPTIONS: `--import ${sdk}` });
  });
  afterAll(async () => {
    await service.kill('SIGINT');
    lines.length = 0;
  });

  it('has only JSON lines, except the line that says the service is ready', () => {
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([`Namewatch ready at ${service.address}`]);
  });

  it('shows the error code of client errors at level info, of server errors at level error', async () => {
    await call('/v1/domains/check?domain=co.uk');
    expect(await seen({ code: 'domain_is_public_suffix' })).toMatchObject({
      level: 'info',
      status: 422,
      method: 'GET',
    });
    await call('/v1/domains/check?domain=timeout.test');
    expect(await seen({ code: 'registry_timeout' })).toMatchObject({ level: 'error', status: 504 });
    await call('/v1/me');
    expect(await seen({ path: '/v1/me' })).not.toHaveProperty('code');
  });

  it('has level names instead of numbers, and times in ISO 8601', () => {
    const times = json().map(({ level, time }) => `${String(level)} ${String(time)}`);
    expect(times.length).toBeGreaterThan(0);
    expect(times.filter((line) => !/^(info|warn|error) \d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/.test(line))).toEqual([]);
  });

  it('shows the service’s request id, and the client’s request id in a separate field', async () => {
    const { headers } = await call('/v1/registries', undefined, { 'x-request-id': 'forged "id"' });
    expect(await seen({ clientRequestId: 'forged "id"' })).toMatchObject({ requestId: headers.get('x-request-id') });
  });

  it('has a line for a change of status, without the account id', async () => {
    await call('/v1/watchlist', { domain: 'log--expiring.test' });
    const line = await seen({ msg: 'status changed' });
    expect(line).toMatchObject({ domain: 'log--expiring.test', from: 'registered', to: 'expiring', change_seq: 1 });
    expect(line).toMatchObject({ level: 'info', move: 'discovered' });
    expect(JSON.stringify(line)).not.toContain('acc_');
  });

  it('repeats the trace id of a request in every line that the request causes', async () => {
    await call('/v1/watchlist', { domain: 'log--available.test' }, traced);
    expect(await seen({ path: '/v1/watchlist', trace_id: TRACE })).toMatchObject({ method: 'POST' });
    expect(await seen({ msg: 'status changed', domain: 'log--available.test' })).toMatchObject({ trace_id: TRACE });
  });
});

describe('the log of a failing authentication extension', () => {
  const token = `canary-${randomBytes(16).toString('hex')}`;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'namewatch-log-lines-'));
    await writeFile(join(folder, 'sso.mjs'), talkativeAuthenticator());
    service = await start({ LOG_LEVEL: 'trace', EXTENSIONS: join(folder, 'sso.mjs') });
  });
  afterAll(async () => {
    await service.kill('SIGINT');
    await rm(folder, { recursive: true });
    lines.length = 0;
  });

  it('names the loaded extensions at the start', async () => {
    expect(await seen({ msg: 'extensions loaded: sso' })).toMatchObject({ level: 'info', context: 'Extensions' });
  });

  it('shows the error and its stack, but not the credential that the error message repeats', async () => {
    const headers = { authorization: `Session ${token}`, cookie: `sid=${token}-2`, 'x-request-id': token };
    expect((await call('/v1/me', undefined, headers)).status).toBe(503);
    const line = await seen({ msg: 'the authenticator of the extension sso failed' });
    expect(line).toMatchObject({
      err: { message: expect.stringContaining('the provider refused'), stack: expect.stringContaining('sso.mjs') },
    });
    await seen({ path: '/v1/me' });
    expect(lines.join('\n')).not.toContain(token);
  });
});

/** The source of an extension. */
function talkativeAuthenticator(): string {
  const kit = pathToFileURL(join(import.meta.dirname, '../../../dist/kit.js')).href;
  return `import { AccountAuthenticator, defineExtension } from '${kit}';
    class Talkative extends AccountAuthenticator {
      async identify({ scheme, token }) {
        if (scheme !== 'session') return null;
        const cause = new Error('it said: no session ' + encodeURIComponent(token), { cause: token });
        const error = new Error('the provider refused ' + token, { cause });
        throw Object.assign(error, { config: { headers: { authorization: scheme + ' ' + token } }, token });
      }
    }
    export default defineExtension({ name: 'sso', compatibility: '*', authenticators: [Talkative] });`;
}

describe('the log in the format "pretty"', () => {
  beforeAll(async () => {
    service = await start({ LOG_FORMAT: 'pretty' });
  });
  afterAll(() => service.kill('SIGINT'));

  it('shows method, path, status and duration of a request in one line', async () => {
    await call('/v1/watchlist');
    await call('/v1/domains/check?domain=co.uk');
    const plain = () => lines.map((line) => stripVTControlCharacters(line));
    const shown = (pattern: RegExp) =>
      eventually(
        () => Promise.resolve(plain().filter((line) => pattern.test(line))),
        (found) => found.length > 0,
      );
    expect(await shown(/ GET \/v1\/watchlist /)).toEqual([expect.stringMatching(/GET \/v1\/watchlist 200 \d+ ms$/)]);
    const [refused] = await shown(/ 422 /);
    expect(refused).toMatch(/GET \/v1\/domains\/check 422 \d+ ms domain_is_public_suffix \(\S+\)$/);
  });
});
