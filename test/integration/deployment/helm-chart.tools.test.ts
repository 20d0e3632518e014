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
  secretFiles: ['DATABASE_URL', 'BOOTSTRAP_API_KEY'],
  extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
  extraVolumeMounts: [{ name: 'authorities', mountPath: '/etc/authorities' }],
  extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authorities/ca.pem' }],
  extraEnvFrom: [{ configMapRef: { name: 'more' } }],
  ingress: { enabled: true, className: 'nginx', host: 'names.example.test', tlsSecretName: 'tls' },
  autoscaling: { enabled: true },
  monitoring: { enabled: true, labels: { release: 'prometheus' } },
  backup: { enabled: true, claimName: 'backups' },
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

  it('renders a deployment per role, a migration job, and their services and policies', () => {
    expect(resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual(
      [
        ...ROLES.flatMap((role) => [
          `Deployment watch-namewatch-${role}`,
          `PodDisruptionBudget watch-namewatch-${role}`,
        ]),
        'Job watch-namewatch-migrate',
        'NetworkPolicy watch-namewatch',
        'NetworkPolicy watch-namewatch-api',
        'NetworkPolicy watch-namewatch-migrate',
        'Service watch-namewatch',
        'Service watch-namewatch-metrics',
        'ServiceAccount watch-namewatch',
        'ServiceAccount watch-namewatch-migrate',
      ].sort(),
    );
  });

  it('matches the Kubernetes schemas with only the required values and with all values', async () => {
    const full = await render(FULL);
    const known = [...resources, ...full].filter(({ apiVersion }) => apiVersion !== 'monitoring.coreos.com/v1');
    expect(await findSchemaProblems(known)).toEqual([]);
  });

  it('runs pods without root, writable file system or service token, and with a memory limit', () => {
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

  it('gives each process its role, its health probes and 45 s to stop', () => {
    for (const role of ROLES) {
      const pod = podOf(ofKind('Deployment').find(({ metadata }) => metadata.name.endsWith(role)) as Resource);
      const [{ args, env, readinessProbe, livenessProbe, startupProbe }] = pod.containers;
      expect({ args, role: env[0] }).toEqual({ args: ['up'], role: { name: 'ROLE', value: role } });
      expect(readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'http' } });
      for (const probe of [livenessProbe, startupProbe]) expect(probe).toMatchObject({ httpGet: { path: '/livez' } });
      expect(pod['terminationGracePeriodSeconds']).toBe(45);
    }
  });

  it('refers to secrets instead of containing secrets, and gives MIGRATION_DATABASE_URL only to the migration', () => {
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

  it('sets only settings that the service knows', () => {
    const names = workloads().flatMap((workload) => podOf(workload).containers[0].env.map(({ name }) => name));
    expect([...new Set(names)].filter((name) => !SETTING_NAMES.has(name))).toEqual([]);
  });

  it('runs the migration job before an install or an upgrade', () => {
    expect(ofKind('Job')).toMatchObject([
      { metadata: { annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } }, spec: { backoffLimit: 3 } },
    ]);
    expect(podOf(ofKind('Job')[0] as Resource).containers[0].args).toEqual(['migrate']);
  });

  it('creates the migration’s service account and network policy before the migration job', () => {
    const account = podOf(ofKind('Job')[0] as Resource)['serviceAccountName'];
    const hooks = resources.filter(({ metadata }) => metadata.name === account && metadata.name.endsWith('-migrate'));
    const early = hooks.filter(({ kind }) => kind !== 'Job');
    expect(early.map(({ kind }) => kind).sort()).toEqual(['NetworkPolicy', 'ServiceAccount']);
    for (const { metadata } of early)
      expect(metadata.annotations).toMatchObject({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-weight': '-1',
      });
  });

  it('mounts the given volumes, and for each role only the secret keys that the role needs', async () => {
    const full = await render(FULL);
    const deployment = (role: string) =>
      full.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith(role));
    for (const [role, keys] of [
      ['api', ['DATABASE_URL', 'BOOTSTRAP_API_KEY']],
      ['worker', ['DATABASE_URL']],
    ] as const) {
      const pod = podOf(deployment(role) as Resource);
      const items = keys.map((key) => ({ key, path: key }));
      const { env, envFrom, volumeMounts } = pod.containers[0];
      expect(pod['volumes']).toEqual(
        expect.arrayContaining([
          { name: 'secrets', secret: { secretName: 'namewatch', defaultMode: 0o440, items } },
          FULL.extraVolumes[0],
        ]),
      );
      expect(volumeMounts).toContainEqual({ name: 'secrets', mountPath: '/run/secrets/namewatch', readOnly: true });
      expect(volumeMounts).toContainEqual(FULL.extraVolumeMounts[0]);
      expect(env).toContainEqual({ name: 'DATABASE_URL_FILE', value: '/run/secrets/namewatch/DATABASE_URL' });
      expect(env.map(({ name }) => name)).not.toContain('DATABASE_URL');
      expect(env).toContainEqual(FULL.extraEnv[0]);
      expect(envFrom).toEqual(FULL.extraEnvFrom);
    }
  });

  it('mounts no secret for a role that needs none of the listed keys', async () => {
    const chart = await render({ ...REQUIRED, secretFiles: ['BOOTSTRAP_API_KEY'] });
    const mounting = chart.filter(
      ({ kind, spec }) => kind === 'Deployment' && JSON.stringify(spec).includes('"secrets"'),
    );
    expect(mounting.map(({ metadata }) => metadata.name)).toEqual(['watch-namewatch-api']);
  });

  it('puts a checksum of the secrets into the annotations of the pods', () => {
    for (const { spec } of ofKind('Deployment'))
      expect((spec['template'] as Resource).metadata.annotations).toEqual({
        'checksum/secrets': expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      });
  });

  it('contains the alert rules of the repository, an autoscaler for the API, and a backup job', async () => {
    const full = await render(FULL);
    const specOf = (wanted: string) => full.find(({ kind }) => kind === wanted)?.spec;
    expect(specOf('PrometheusRule')).toEqual(parse(readFileSync(join(ROOT, 'deploy/prometheus/alerts.yaml'), 'utf8')));
    expect(specOf('ServiceMonitor')).toMatchObject({ endpoints: [{ port: 'metrics' }] });
    expect(specOf('HorizontalPodAutoscaler')).toMatchObject({ scaleTargetRef: { name: 'watch-namewatch-api' } });
    const deployments = full.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ spec }) => spec['replicas'])).toEqual([undefined, 2, 2]);
    const backup = podOf((specOf('CronJob') as { jobTemplate: Resource }).jobTemplate);
    expect(backup.containers[0].args).toEqual(['backup', '/backups', '--keep', '7']);
    expect(backup.containers[0]['volumeMounts']).toContainEqual({ name: 'backups', mountPath: '/backups' });
  });

  it('selects the intended pods in every disruption budget, service and network policy', () => {
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
      'NetworkPolicy watch-namewatch-migrate': ['migrate'],
      'Service watch-namewatch': ['api'],
      'Service watch-namewatch-metrics': [...ROLES, 'migrate'],
    });
  });

  it('has the version of the service, and uses that version as the image tag', () => {
    const text = (name: string) => readFileSync(join(ROOT, name), 'utf8');
    const { version } = JSON.parse(text('package.json')) as { version: string };
    expect(parse(text('deploy/helm/namewatch/Chart.yaml'))).toMatchObject({ version, appVersion: version });
    const images = new Set(workloads().map((workload) => podOf(workload).containers[0].image));
    expect([...images]).toEqual([`registry.example.test/namewatch:${version}`]);
  });

  it.each<[string, object, RegExp]>([
    ['no image', { image: {} }, /image\.repository/],
    ['the image tag "latest"', { image: { ...REQUIRED.image, tag: 'latest' } }, /image\.tag/],
    ['no secret name', { secretName: '' }, /secretName/],
    ['a secret in the settings', { settings: { MASTER_KEY: 'x' } }, /settings/],
    ['a setting that the chart itself sets', { settings: { PORT: '80' } }, /settings/],
    ['a role without processes', { roles: { worker: { replicas: 0 } } }, /roles\.worker\.replicas/],
    ['an ingress without a host', { ingress: { enabled: true } }, /ingress\.host/],
    ['a backup without a volume', { backup: { enabled: true } }, /backup\.claimName/],
    ['a misspelt value', { replicas: 3 }, /replicas/],
  ])('refuses to render with %s, and names the wrong value', async (_, values, message) => {
    await expect(render({ ...REQUIRED, ...values })).rejects.toThrow(message);
  });
});
