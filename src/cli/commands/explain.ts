import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  deriveLifecycle,
  type Evidence,
  EXPIRING_WINDOW_DAYS,
  getRecordValue,
  type LookupResult,
  RECORD_KINDS,
  type RegistrationFacts,
  type RegistrationRecord,
} from '../../domains/language.js';
import type { StandaloneLookup } from '../../domains/index.js';
import { readInstallation } from '../../extensions/load-extensions.js';
import { jsonCommand, print, readInput, logToStderr } from '../terminal.js';
import { CommandError, EXIT } from '../exit-codes.js';

interface Options {
  readonly fromFile?: string;
  readonly protocol: 'rdap' | 'whois';
  readonly server: string;
  readonly httpStatus: number;
  readonly mediaType?: string;
  readonly json?: boolean;
}

export function explain(): Command {
  return jsonCommand('explain')
    .argument('<domain>')
    .option('--from-file <file>', 'read this saved response instead of querying a registry; - is standard input')
    .addOption(new Option('--protocol <protocol>', 'of the saved answer').choices(['rdap', 'whois']).default('whois'))
    .option('--server <host>', 'who gave the saved answer', 'file')
    .option('--http-status <code>', 'of the saved answer, for RDAP', parseHttpStatus, 200)
    .option('--media-type <type>', 'its Content-Type, for RDAP; without one an empty 404 proves nothing')
    .action(async (domain: string, options: Options) => {
      const { config, extensions } = await readInstallation();
      await logToStderr();
      const { openStandaloneContext } = await import('../../app/standalone.js');
      const { lookup, close } = await openStandaloneContext(config, extensions);
      try {
        const result = await lookUp(lookup, domain, options);
        print(options.json, toJson(domain, result), toLines(domain, result));
        if (result.kind === 'failure') throw new CommandError(EXIT.failed, '');
      } finally {
        await close();
      }
    });
}

async function lookUp(lookup: StandaloneLookup, domain: string, options: Options): Promise<LookupResult> {
  if (options.fromFile === undefined) return lookup.lookUp(domain);
  return lookup.interpret(domain, { ...options, body: await readInput(options.fromFile) });
}

function parseHttpStatus(text: string): number {
  if (!/^[1-5]\d\d$/.test(text)) throw new InvalidArgumentError('an HTTP status has three digits.');
  return Number(text);
}

/** Returns the result with the field names of the API. */
function toJson(domain: string, result: LookupResult) {
  const evidence = result.evidence.map(({ httpStatus: http_status, observedAt: observed_at, ...rest }) => {
    return { ...rest, http_status, observed_at };
  });
  if (result.kind === 'failure')
    return { domain, error: result.code, retry_after_seconds: result.retryAfterSeconds, evidence };
  const { outcome, statuses, registeredAt, expiresAt, publishesExpiry, registrable, quarantine } = result.facts;
  const dates = { registered_at: registeredAt, expires_at: expiresAt, publishes_expiry: publishesExpiry };
  const record = result.record ? toRecordJson(result.record) : null;
  return { domain, outcome, registrable, registry_statuses: statuses, quarantine, ...dates, record, evidence };
}

/** Converts a record. A value that the registry's answer does not contain is null. */
function toRecordJson(record: RegistrationRecord) {
  return Object.fromEntries(RECORD_KINDS.map((kind) => [kind, getRecordValue(record, kind)]));
}

function toLines(domain: string, result: LookupResult): string[] {
  const verdict =
    result.kind === 'failure' ? failureLines(result) : [...factLines(result.facts), ...recordLines(result.record)];
  return [
    `${domain}: ${verdict[0]}`,
    ...verdict.slice(1).map((line) => `  ${line}`),
    '',
    ...result.evidence.flatMap(evidenceLines),
  ];
}

function failureLines({ code, retryAfterSeconds }: Extract<LookupResult, { kind: 'failure' }>): string[] {
  const wait = retryAfterSeconds === null ? [] : [`ask again in  ${retryAfterSeconds} s`];
  return [`no status, ${code}`, ...wait];
}

function factLines(facts: RegistrationFacts): string[] {
  const { status, phase } = deriveLifecycle(facts, EXPIRING_WINDOW_DAYS, new Date());
  const { outcome, statuses, registeredAt, expiresAt, publishesExpiry, registrable } = facts;
  const expiry = expiresAt?.toISOString() ?? (publishesExpiry === false ? 'not published by this registry' : 'unknown');
  return [
    `${outcome === 'reserved' ? 'reserved' : status.replace('_', ' ')} (phase ${phase.replaceAll('_', ' ')})`,
    `registrable   ${registrable}`,
    ...(outcome === 'found'
      ? [`registered at ${registeredAt?.toISOString() ?? 'unknown'}`, `expires at    ${expiry}`]
      : []),
    ...(statuses.length > 0 ? [`statuses      ${statuses.join(', ')}`] : []),
  ];
}

function recordLines(record?: RegistrationRecord): string[] {
  const { nameservers, registrar, ds, lastTransferAt } = record ?? {};
  const id = registrar?.ianaId ? ` (IANA id ${registrar.ianaId})` : '';
  return [
    ...(registrar ? [`registrar     ${registrar.name ?? 'unnamed'}${id}`] : []),
    ...(nameservers ? [`name servers  ${nameservers.join(', ') || 'none'}`] : []),
    ...(ds
      ? [`DNSSEC        ${ds.length > 0 ? ds.map(({ keyTag }) => `DS ${keyTag}`).join(', ') : 'not signed'}`]
      : []),
    ...(lastTransferAt ? [`transferred   ${lastTransferAt.toISOString()}`] : []),
  ];
}

function evidenceLines({ source, server, outcome, rule, httpStatus: status, excerpt }: Evidence): string[] {
  const http = status === null ? '' : `, HTTP ${status}`;
  return [`${source} ${server}: ${outcome} by ${rule}${http}`, `  ${excerpt}`];
}
