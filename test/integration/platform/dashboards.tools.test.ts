import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { MetricsServer } from '../../../src/platform/metrics/metrics-server.js';
import { eventually } from '../../support/eventually.js';
import { findMissing } from '../../support/promql.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';
import { WebhookSending } from '../../support/servers/webhook-sending.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}
interface RuleTest {
  readonly alertname: string;
  readonly exp_alerts?: readonly object[];
}

const DEPLOY = resolve('deploy');
const DASHBOARDS = readdirSync(join(DEPLOY, 'grafana'));
const { groups } = parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yaml'), 'utf8')) as {
  groups: { rules: Rule[] }[];
};
const RULES = groups.flatMap(({ rules }) => rules);

/** All that Grafana asks Prometheus, wherever in a dashboard it is. */
function expressionsOf(dashboard: string): string[] {
  const expressions: string[] = [];
  JSON.parse(readFileSync(join(DEPLOY, 'grafana', dashboard), 'utf8'), (key, value: unknown) => {
    if (typeof value === 'string' && (key === 'expr' || value.startsWith('label_values('))) expressions.push(value);
    return value;
  });
  return expressions;
}

const folder = mkdtempSync(join(tmpdir(), 'namewatch-'));
let sending: WebhookSending;
let service: TestService;
let scraped: string;

const scrape = async () => {
  const { port } = service.app.get(MetricsServer, { strict: false });
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
};

beforeAll(async () => {
  sending = await WebhookSending.prepare();
  const receiver = await sending.aReceiver();
  const caFile = join(folder, 'authority.pem');
  writeFileSync(caFile, sending.authority.cert);
  const budgets = join(folder, 'budgets.json');
  writeFileSync(budgets, JSON.stringify({ default: { per_second: 1_000, burst: 1_000, concurrency: 8 } }));
  service = await startTestService({
    METRICS_PORT: '0',
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: caFile,
    RDAP_OVERRIDES: 'demo=http://127.0.0.1:1',
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    LOOKUP_BUDGETS_FILE: budgets,
  });
  await service.app.listen(0, '127.0.0.1');
  const add = (path: string, body: object) => service.call({ method: 'POST', path, body });
  await add('/v1/notifications', { type: 'webhook', target: receiver.url('/') });
  for (const domain of ['available.test', 'expiring.test'])
    await add('/v1/watchlist', { domain, notify_current: true });
  await service.call({ path: '/v1/me', key: 'nw_guessed' });
  for (let name = 0; name < 12; name += 1) await service.call({ path: `/v1/domains/check?domain=name${name}.demo` });
  scraped = await eventually(scrape, (text) => /^namewatch_delivery_age_seconds_count.* [1-9]/m.test(text));
});
afterAll(async () => {
  await service.close();
  await sending.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a scrape of the metrics', () => {
  it.each(DASHBOARDS)('has every metric that the Grafana dashboard %s uses', (dashboard) => {
    const expressions = expressionsOf(dashboard);
    expect(expressions.length).toBeGreaterThan(5);
    expect(findMissing(scraped, expressions)).toEqual([]);
  });

  it('has every metric that the alerts use, except one that only an embedded database has', () => {
    const expressions = RULES.map(({ expr }) => expr);
    // This service uses a PostgreSQL that is not its own, of whose disk it knows nothing.
    expect(findMissing(scraped, expressions)).toEqual(['namewatch_database_disk_free_bytes is in no scrape']);
  });

  it('has a help text for every metric, and names that follow the Prometheus conventions', () => {
    const types = [...scraped.matchAll(/^# TYPE (namewatch_\w+) (\w+)$/gm)].map(([, name = '', type]) => ({
      name,
      type,
    }));
    expect(types.length).toBeGreaterThan(20);
    for (const { name, type } of types) {
      expect(scraped).toMatch(new RegExp(`^# HELP ${name} [A-Z0-9].+\\.$`, 'm'));
      if (type === 'counter') expect(name).toMatch(/_total$/);
      else expect(name).not.toMatch(/_total$|_(ms|milliseconds|minutes)$/);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    }
  });

  it('has metrics for each of the four database connection pools', () => {
    const pools = new Set(
      [...scraped.matchAll(/^namewatch_database_pool_connections\{pool="(\w+)"/gm)].map(([, pool]) => pool),
    );
    expect([...pools].sort()).toEqual(['background', 'orm_background', 'orm_requests', 'requests']);
  });

  it('has only metrics that docs/observability.md describes', () => {
    const documented = readFileSync('docs/observability.md', 'utf8');
    const names = [...scraped.matchAll(/^# TYPE (namewatch_\w+)/gm)].map(([, name = '']) => name);
    expect(names.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the alerts', () => {
  const file = join(DEPLOY, 'prometheus/alerts.test.yaml');
  const { tests } = parse(readFileSync(file, 'utf8')) as { tests: { alert_rule_test: RuleTest[] }[] };
  const cases = tests.flatMap(({ alert_rule_test: rules }) => rules);

  it.each(RULES)('have a test in which $alert fires, and one in which it does not', ({ alert }) => {
    const own = cases.filter(({ alertname }) => alertname === alert);
    expect(own.some(({ exp_alerts: fired = [] }) => fired.length > 0)).toBe(true);
    expect(own.some(({ exp_alerts: fired = [] }) => fired.length === 0)).toBe(true);
  });

  const isInstalled = (process.env['PATH'] ?? '').split(delimiter).some((path) => existsSync(join(path, 'promtool')));
  (isInstalled || process.env['REQUIRE_PROMTOOL'] ? it : it.skip)(
    'pass the tests in alerts.test.yaml with promtool',
    () => {
      const run = () => execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      expect(run()).toContain('SUCCESS');
    },
  );
});
