import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const ROOT = join(import.meta.dirname, '../../..');

/** The parts that the assertions read, as our file writes them; the schema covers the rest. */
export interface Service {
  image?: string;
  build?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  networks?: string[];
  env_file?: string;
  cap_add?: string[];
  security_opt?: string[];
  pids_limit?: number;
  read_only?: boolean;
  privileged?: boolean;
  cap_drop?: string[];
  restart?: string;
  stop_grace_period?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  deploy?: { replicas?: number; resources?: { limits?: { memory?: string; cpus?: string } } };
  depends_on?: Record<string, { condition: string }>;
}

export interface ComposeFile {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean }>;
}

/** Its anchors resolved, and nothing shared between services, so that a test can break one of them. */
export function composeFile(): ComposeFile {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
  return JSON.parse(JSON.stringify(parse(text, { merge: true }))) as ComposeFile;
}

/** The names that `${NAME:?…}` makes compulsory anywhere in a part of the file. */
export function required(part: unknown): string[] {
  return [...new Set(JSON.stringify(part ?? '').match(/(?<=\$\{)\w+(?=:\?)/g))].sort();
}

/** Puts values in as compose does before it starts anything. */
export function interpolated(text: string, values: Record<string, string>): string {
  return text.replace(/\$\{(\w+):[-?]([^}]*)\}/g, (_, name: string, otherwise: string) => values[name] ?? otherwise);
}
