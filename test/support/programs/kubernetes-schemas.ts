import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  CronJob,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
} from '../../../tools/kubernetes.js';
import type { Resource } from './helm.js';

const ROOT = join(import.meta.dirname, '../../..');
const COMPILER = join(ROOT, 'tools/node_modules/typescript-7/bin/tsc');

/** The kinds of the chart: another one has to be added here. */
const KINDS = new Map<string, new (resource: never) => { validate(): void }>(
  [
    CronJob,
    Deployment,
    HorizontalPodAutoscaler,
    Ingress,
    Job,
    NetworkPolicy,
    PodDisruptionBudget,
    Service,
    ServiceAccount,
  ].map((kind) => [`${kind.apiVersion}/${kind.kind}`, kind as never]),
);

/** The Kubernetes schemas' objections to resources: wrong types, missing fields and unknown ones. */
export async function findSchemaProblems(resources: readonly Resource[]): Promise<string[]> {
  return [...resources.flatMap(findInvalidFields), ...(await findUnknownFields(resources))];
}

function findInvalidFields(resource: Resource): string[] {
  const type = `${resource.apiVersion}/${resource.kind}`;
  const Kind = KINDS.get(type);
  if (!Kind) return [`unknown kind ${type}`];
  try {
    new Kind(resource as never).validate();
    return [];
  } catch (error) {
    return [`${resource.kind} ${resource.metadata.name}: ${(error as Error).message}`];
  }
}

/** The API server drops an unknown field with a warning, but the schemas allow it: the types made from them do not. */
async function findUnknownFields(resources: readonly Resource[]): Promise<string[]> {
  const cache = join(ROOT, 'tools/node_modules/.cache/namewatch');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'chart-')); // below node_modules, where the types are found
  try {
    const lines = resources.map(({ apiVersion, kind, ...rest }, index) => {
      const from = apiVersion === 'v1' ? 'v1' : apiVersion;
      const value = JSON.stringify({ apiVersion, kind, ...rest });
      return `import type { I${kind} as T${index} } from 'kubernetes-models/${from}'; export const r${index}: T${index} = ${value};`;
    });
    const file = join(folder, 'resources.ts');
    writeFileSync(file, lines.join('\n'));
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', '', '--module', 'nodenext'];
    const { stdout } = await promisify(execFile)(process.execPath, [COMPILER, ...options, file]).catch(
      (failure: { stdout: string }) => failure,
    );
    return stdout.split('\n').filter((line) => line.includes('error TS'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
