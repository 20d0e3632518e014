import { Command, InvalidArgumentError, Option } from 'commander';
import { readConfig } from '../../config/config.js';
import { deriveLifecycle, type Evidence, type LookupResult, type RegistrationFacts } from '../../domains/language.js';
import type { StandaloneLookup } from '../../domains/index.js';
import { DomainError } from '../../kernel/domain-error.js';
import { print } from '../run-admin-command.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { readInput } from '../terminal/files.js';
import { logToStderr } from '../terminal/stderr-logger.js';

interface Options {
  readonly fromFile?: string;
  readonly protocol: 'rdap' | 'whois';
  readonly server: string;
  readonly httpStatus: number;
  readonly mediaType?: string;
  readonly json?: boolean;
}

export function explain(): Command {
  return new Command('explain')
    .description('show why a name has its status: who was asked, what was said, which rule read it')
    .argument('<domain>')
    .option('--from-file <file>', 'read this saved answer instead of asking anybody; - is standard input')
    .addOption(new Option('--protocol <protocol>', 'of the saved answer').choices(['rdap', 'whois']).default('whois'))
    .option('--server <host>', 'who gave the saved answer', 'file')
    .option('--http-status <code>', 'of the saved answer, for RDAP', parseHttpStatus, 200)
    .option('--media-type <type>', 'its Content-Type, for RDAP; without one an empty 404 proves nothing')
    .option('--json', 'one line of JSON')
    .action(async (domain: string, options: Options) => {
      const config = readConfig();
      await logToStderr();
      const { StandaloneLookup: LoneLookup } = await import('../../domains/index.js');
      const lookup = new LoneLookup(config);
      try {
        const look = await lookUp(lookup, domain, options);
        print(options.json, toJson(domain, look), toLines(domain, look, config.watch.expiringWindowDays));
        if (look.kind === 'failure') throw new CommandError(EXIT.failed, '');
      } finally {
        await lookup.close();
      }
    });
}

async function lookUp(lookup: StandaloneLookup, domain: string, options: Options): Promise<LookupResult> {
  try {
    if (options.fromFile === undefined) return await lookup.lookUp(domain);
    return lookup.interpret(domain, { ...options, body: readInput(options.fromFile) });
  } catch (error) {
    if (error instanceof DomainError) throw new CommandError(EXIT.refused, `${error.code}: ${error.message}`);
    throw error;
  }
}

function parseHttpStatus(text: string): number {
  if (!/^[1-5]\d\d$/.test(text)) throw new InvalidArgumentError('an HTTP status has three digits.');
  return Number(text);
}

/** The names of the API. */
function toJson(domain: string, look: LookupResult) {
  const evidence = look.evidence.map(({ httpStatus: http_status, observedAt: observed_at, ...rest }) => {
    return { ...rest, http_status, observed_at };
  });
  if (look.kind === 'failure')
    return { domain, error: look.code, retry_after_seconds: look.retryAfterSeconds, evidence };
  const { outcome, statuses, registeredAt, expiresAt, publishesExpiry, registrable, quarantine } = look.facts;
  const dates = { registered_at: registeredAt, expires_at: expiresAt, publishes_expiry: publishesExpiry };
  return { domain, outcome, registrable, registry_statuses: statuses, quarantine, ...dates, evidence };
}

function toLines(domain: string, look: LookupResult, windowDays: number): string[] {
  const verdict = look.kind === 'failure' ? failureLines(look) : factLines(look.facts, windowDays);
  return [
    `${domain}: ${verdict[0]}`,
    ...verdict.slice(1).map((line) => `  ${line}`),
    '',
    ...look.evidence.flatMap(evidenceLines),
  ];
}

function failureLines({ code, retryAfterSeconds }: Extract<LookupResult, { kind: 'failure' }>): string[] {
  const wait = retryAfterSeconds === null ? [] : [`ask again in  ${retryAfterSeconds} s`];
  return [`no status, ${code}`, ...wait];
}

function factLines(facts: RegistrationFacts, windowDays: number): string[] {
  const { status, phase } = deriveLifecycle(facts, windowDays, new Date());
  const { outcome, statuses, registeredAt, expiresAt, publishesExpiry, registrable } = facts;
  const expiry = expiresAt?.toISOString() ?? (publishesExpiry === false ? 'never told by this registry' : 'not told');
  return [
    `${outcome === 'reserved' ? 'reserved' : status.replace('_', ' ')} (phase ${phase.replaceAll('_', ' ')})`,
    `registrable   ${registrable}`,
    ...(outcome === 'found'
      ? [`registered at ${registeredAt?.toISOString() ?? 'not told'}`, `expires at    ${expiry}`]
      : []),
    ...(statuses.length > 0 ? [`statuses      ${statuses.join(', ')}`] : []),
  ];
}

function evidenceLines({ source, server, outcome, rule, httpStatus: status, excerpt }: Evidence): string[] {
  const http = status === null ? '' : `, HTTP ${status}`;
  return [`${source} ${server}: ${outcome} by ${rule}${http}`, `  ${excerpt}`];
}
