import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { SETTING_NAMES } from '../../unit/deployment/compose-problems.js';
import { ROOT } from '../../unit/deployment/compose-file.js';
import { findHelm, renderChart, type Resource } from '../../support/programs/helm.js';
import { findSchemaProblems } from '../../support/programs/kubernetes-schemas.js';

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly [field: string]: unknown;
}
interface Pod {
  readonly containers: readonly [Container];
  readonly [field: string]: unknown;
}

const REQUIRED = { image: { repository: 'registry.example.test/namewatch' }, secretName: 'namewatch' };
const ROLES = ['api', 'worker', 'scheduler'];
const SECRETS = ['BOOTSTRAP_API_KEY', 'DATABASE_URL', 'MASTER_KEY', 'MASTER_KEY_PREVIOUS', 'MIGRATION_DATABASE_URL']
  .concat('OIDC_CLIENT_SECRET', 'REDIS_URL', 'SMTP_URL')
  .sort();
/** Every value set that a template reads. */
const FULL = {
  ...REQUIRED,
  image: {
    ...REQUIRED.image,
    digest: `sha256:${'0'.repeat(64)}`,
    pullSecrets: [{ name: 'registry' }],
  },
  settings: { PUBLIC_URL: 'https://names.example.test' },
  service: { type: 'LoadBalancer', port: 8080, annotations: { 'example.test/pool': 'inside' } },
  serviceAccount: { annotations: { 'example.test/role': 'none' } },
  networkPolicy: {
    apiFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    metricsFrom: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
    stores: { peers: [{ ipBlock: { cidr: '10.1.0.0/16' } }], ports: [5432] },
  },
  podAnnotations: { 'example.test/team': 'names' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
};

const helm = findHelm();
/** The chart needs helm: this is said once where there is none. */
const described = helm === null ? describe.skip : describe;
const podOf = ({ spec }: Resource) => (spec['template'] as { spec: Pod }).spec;
const labelsOf = ({ spec }: Resource) => (spec['template'] as Resource).metadata.labels;

described('the Helm chart', () => {
  let resources: Resource[] = [];
  const render = (values: object) => renderChart(helm ?? '', values);
  const ofKind = (kind: string) => resources.filter((resource) => resource.kind === kind);
  const workloads = () => [...ofKind('Deployment'), ...ofKind('Job')];
  beforeAll(async () => {
    resources = await render(REQUIRED);
  });

  it('renders a deployment per role, a migration, and what surrounds them', () => {
    expect(resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual(
      [
        ...ROLES.flatMap((role) => [
          `Deployment watch-namewatch-${role}`,
          `PodDisruptionBudget watch-namewatch-${role}`,
        ]),
        'Job watch-namewatch-migrate',
        'NetworkPolicy watch-namewatch',
        'NetworkPolicy watch-namewatch-api',
        'Service watch-namewatch',
        'Service watch-namewatch-metrics',
        'ServiceAccount watch-namewatch',
      ].sort(),
    );
  });

  it('is valid by the Kubernetes schemas, with the fewest values and with all', async () => {
    expect(await findSchemaProblems([...resources, ...(await render(FULL))])).toEqual([]);
  });

  it('would not be with a field of the wrong type, without a selector, or with a misspelt field', async () => {
    const broken = structuredClone(ofKind('Deployment')) as [Resource, Resource, Resource];
    broken[0].spec['replicas'] = 'two';
    delete broken[1].spec['selector'];
    Object.assign(podOf(broken[2]).containers[0], { livenesProbe: {} });
    const problems = (await findSchemaProblems(broken)).join('\n');
    for (const part of ['spec/replicas must be integer', 'required property selector', 'livenesProbe'])
      expect(problems).toContain(part);
  });

  it('runs without root, without a writable image, without a token, and within limits', () => {
    for (const workload of workloads()) {
      const pod = podOf(workload);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(pod.containers[0]).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { requests: expect.anything() as unknown, limits: { memory: expect.any(String) as unknown } },
      });
    }
  });

  it('gives each process its role, its probes, and twice the time of its drain', () => {
    for (const role of ROLES) {
      const pod = podOf(ofKind('Deployment').find(({ metadata }) => metadata.name.endsWith(role)) as Resource);
      const [{ args, env, readinessProbe, livenessProbe, startupProbe }] = pod.containers;
      expect({ args, role: env[0] }).toEqual({ args: ['up'], role: { name: 'ROLE', value: role } });
      expect(readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'http' } });
      for (const probe of [livenessProbe, startupProbe]) expect(probe).toMatchObject({ httpGet: { path: '/livez' } });
      expect(pod['terminationGracePeriodSeconds']).toBe(40);
    }
  });

  it('reads secrets by reference only, the owner of the tables for the migration only', () => {
    const referenced = workloads().map((workload) => {
      const { env } = podOf(workload).containers[0];
      const names = env.filter(({ valueFrom }) => valueFrom !== undefined).map(({ name }) => name);
      expect(env.filter(({ name, value }) => SECRETS.includes(name) && value !== undefined)).toEqual([]);
      return [labelsOf(workload)['app.kubernetes.io/component'], names] as const;
    });
    const readers = (name: string) => referenced.filter(([, names]) => names.includes(name)).map(([role]) => role);
    expect([...new Set(referenced.flatMap(([, names]) => names))].sort()).toEqual(SECRETS);
    expect(readers('MIGRATION_DATABASE_URL')).toEqual(['migrate']);
    expect(readers('BOOTSTRAP_API_KEY')).toEqual(['api']);
    expect(resources.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('sets settings that exist', () => {
    const names = workloads().flatMap((workload) => podOf(workload).containers[0].env.map(({ name }) => name));
    expect([...new Set(names)].filter((name) => !SETTING_NAMES.has(name))).toEqual([]);
  });

  it('migrates before it installs or upgrades', () => {
    expect(ofKind('Job')).toMatchObject([
      { metadata: { annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } }, spec: { backoffLimit: 3 } },
    ]);
    expect(podOf(ofKind('Job')[0] as Resource).containers[0].args).toEqual(['migrate']);
  });

  it('selects with every budget, service and policy the pods that it means', () => {
    const selects = (selector: object, labels: Record<string, string>) =>
      Object.entries(selector).every(([name, value]) => labels[name] === value);
    const selected = [...ofKind('PodDisruptionBudget'), ...ofKind('NetworkPolicy'), ...ofKind('Service')].map(
      ({ kind, metadata, spec }) => {
        const { selector, podSelector } = spec as Record<string, { matchLabels?: object } | undefined>;
        const labels = podSelector?.matchLabels ?? selector?.matchLabels ?? selector ?? {};
        const pods = workloads().filter((workload) => selects(labels, labelsOf(workload)));
        return [`${kind} ${metadata.name}`, pods.map((pod) => labelsOf(pod)['app.kubernetes.io/component'])];
      },
    );
    expect(Object.fromEntries(selected)).toEqual({
      ...Object.fromEntries(ROLES.map((role) => [`PodDisruptionBudget watch-namewatch-${role}`, [role]])),
      'NetworkPolicy watch-namewatch': [...ROLES, 'migrate'],
      'NetworkPolicy watch-namewatch-api': ['api'],
      'Service watch-namewatch': ['api'],
      'Service watch-namewatch-metrics': [...ROLES, 'migrate'],
    });
  });

  it('has the version of the service, as its image tag too', () => {
    const text = (name: string) => readFileSync(join(ROOT, name), 'utf8');
    const { version } = JSON.parse(text('package.json')) as { version: string };
    expect(parse(text('deploy/helm/namewatch/Chart.yaml'))).toMatchObject({ version, appVersion: version });
    const images = new Set(workloads().map((workload) => podOf(workload).containers[0].image));
    expect([...images]).toEqual([`registry.example.test/namewatch:${version}`]);
  });

  it.each<[string, object, RegExp]>([
    ['no image', { image: {} }, /image\.repository/],
    ['a floating tag', { image: { ...REQUIRED.image, tag: 'latest' } }, /image\.tag/],
    ['no secret', { secretName: '' }, /secretName/],
    ['a secret in the settings', { settings: { MASTER_KEY: 'x' } }, /settings/],
    ['a setting that the chart makes', { settings: { PORT: '80' } }, /settings/],
    ['no process of a role', { roles: { worker: { replicas: 0 } } }, /roles\.worker\.replicas/],
    ['a misspelt value', { replicas: 3 }, /replicas/],
  ])('refuses %s, and says so', async (_, values, message) => {
    await expect(render({ ...REQUIRED, ...values })).rejects.toThrow(message);
  });
});
