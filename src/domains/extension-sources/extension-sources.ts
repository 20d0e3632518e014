import { Inject, Injectable, type OnModuleInit, Logger } from '@nestjs/common';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import {
  EXTENSION_LOOKUP_SOURCES,
  type LookupSource,
  type SourceAnswer,
  type SourceServer,
  type RegistryServer,
} from '../domain/lookup/lookup-source.js';
import { EVIDENCE_SOURCES, type LookupErrorCode } from '../domain/lookup/lookup-result.js';
import { SECOND } from '../../kernel/clock.js';
import { type DiagnosticResult, runCheck } from '../../platform/diagnostics.js';
import type { AddressGuard } from '../../platform/outbound/address-guard.js';
import type { Deadline } from '../../platform/outbound/deadline.js';
import { createGuardedConnector } from '../../platform/outbound/guarded-connector.js';
import { DomainName } from '../domain/name/domain-name.js';
import { isIcannTld } from '../domain/name/icann-suffixes.js';
import { RegistrySource } from '../transport/registry-source.js';
import { MalformedAnswerError, validateAnswer, validateServers } from './validate-answer.js';

const NAME = /^(?=.{2,60}$)[a-z][a-z0-9-]*(\.[a-z0-9-]+)?$/;
const ROLES: readonly string[] = ['only', 'first'];
const BUILT_IN_NAMES: readonly string[] = EVIDENCE_SOURCES;

@Injectable()
export class ExtensionSources implements OnModuleInit {
  static readonly none = new ExtensionSources([]);
  readonly all: readonly ExtensionSource[];
  private readonly budgets: ReadonlyMap<string, OperatorBudget>;
  private readonly problems: readonly string[];

  constructor(@Inject(EXTENSION_LOOKUP_SOURCES) sources: readonly LookupSource[]) {
    this.problems = sources.flatMap((source, position) => findSourceProblems(source, sources.slice(0, position)));
    this.all = this.problems.length > 0 ? [] : sources.map((source) => new ExtensionSource(source));
    this.budgets = new Map(this.all.flatMap(({ name, budget }) => (budget ? [[name, budget] as const] : [])));
  }

  /** Reports invalid sources here, because Nest prints a long stack trace for an error in a constructor. */
  onModuleInit(): void {
    this.assertValid();
  }

  /** @throws InvalidConfigurationError for a source that cannot be used, for example because its name is taken */
  assertValid(): void {
    if (this.problems.length > 0) throw new InvalidConfigurationError(this.problems);
  }

  budgetOf(operator: string): OperatorBudget | undefined {
    return this.budgets.get(operator);
  }
}

/** Returns a sentence for each reason why the source cannot be used. */
export function findSourceProblems(
  { name, role, budget, hasPrivateZone }: LookupSource,
  earlier: readonly Pick<LookupSource, 'name'>[] = [],
): string[] {
  const shown = JSON.stringify(name);
  if (typeof name !== 'string' || !NAME.test(name))
    return [`the name of the lookup source ${shown} is not 2 to 60 lower-case letters, digits, "-" and one "."`];
  const problems: string[] = [];
  if (BUILT_IN_NAMES.includes(name)) problems.push(`the lookup source ${name} has the name of a built-in source`);
  if (earlier.some((other) => other.name === name)) problems.push(`two lookup sources have the name ${name}`);
  if (!ROLES.includes(role))
    problems.push(`the role of the lookup source ${name} is neither only nor first: ${JSON.stringify(role)}`);
  if (budget && !isValidBudget(budget))
    problems.push(`the budget of the lookup source ${name} needs perSecond (0: no limit), burst and concurrency`);
  if (typeof hasPrivateZone !== 'boolean')
    problems.push(`hasPrivateZone of the lookup source ${name} is neither true nor false`);
  return problems;
}

/** Returns the TLDs that exist in the public DNS although the source says that its zone is private. */
export function findPublicZones(source: Pick<LookupSource, 'hasPrivateZone'>, tlds: Iterable<string>): string[] {
  return source.hasPrivateZone ? [...tlds].filter((tld) => isIcannTld(`nic.${tld}`)) : [];
}

function isValidBudget({ perSecond, burst, concurrency }: OperatorBudget): boolean {
  const isWhole = (number: number) => Number.isInteger(number) && number >= 1;
  return Number.isFinite(perSecond) && perSecond >= 0 && isWhole(burst) && isWhole(concurrency);
}

const SERVERS_TTL_MS = SECOND;

/**
 * Protects the engine from an extension's source: copies arguments, validates answers, and waits no longer than the
 * deadline.
 */
export class ExtensionSource extends RegistrySource {
  readonly name: string;
  readonly role: 'only' | 'first';
  override readonly budget: OperatorBudget | null;
  override readonly hasPrivateZone: boolean;
  private readonly log = new Logger('LookupSource');
  private known: ReadonlyMap<string, RegistryServer> = new Map();
  private readAt = -Infinity;
  private reported = '';

  constructor(private readonly source: LookupSource) {
    super();
    const { name, role, budget, hasPrivateZone } = source;
    this.name = name;
    this.role = role;
    this.hasPrivateZone = hasPrivateZone;
    this.budget = budget ? { ...budget } : null;
  }

  servers(): ReadonlyMap<string, RegistryServer> {
    const now = performance.now();
    if (now - this.readAt < SERVERS_TTL_MS) return this.known;
    this.readAt = now;
    return (this.known = this.readServers());
  }

  serverFor({ registry }: DomainName): RegistryServer | null {
    return this.servers().get(registry) ?? null;
  }

  async ask(name: DomainName, server: RegistryServer, deadline: Deadline): Promise<SourceAnswer<RegistryServer>> {
    const controller = new AbortController();
    const late = Promise.withResolvers<null>();
    const abandon = () => {
      late.resolve(null);
      controller.abort(deadline.reason);
    };
    deadline.addEventListener('abort', abandon);
    try {
      const answer = await Promise.race([this.askSource(name, server, controller.signal), late.promise]);
      if (answer === null) return this.failure('registry_timeout', 'timeout', 'no answer before the deadline');
      return validateAnswer(answer, this.name, (next) => this.toRegistryServer(next));
    } catch (error) {
      return this.toFailure(error, name, deadline);
    } finally {
      deadline.removeEventListener('abort', abandon);
    }
  }

  private async askSource(name: DomainName, { host, port }: RegistryServer, signal: AbortSignal): Promise<unknown> {
    const copy = Object.freeze(DomainName.restore(name.ascii));
    return (await this.source.ask(copy, Object.freeze({ host, port }), signal)) ?? {};
  }

  private toFailure(error: unknown, { ascii }: DomainName, deadline: Deadline): SourceAnswer<RegistryServer> {
    if (error instanceof MalformedAnswerError) {
      // This warning has no fields, because the log counts repeats only of warnings that are plain texts.
      this.log.warn(`answers of ${this.name} not usable: ${error.message}`);
      this.log.debug({ source: this.name, domain: ascii }, `answer not usable: ${error.message}`);
      return this.failure('registry_answer_unusable', 'malformed', `answer not usable: ${error.message}`);
    }
    if (deadline.aborted) return this.failure('registry_timeout', 'timeout', 'no answer before the deadline');
    this.log.error({ source: this.name, domain: ascii, err: error }, `the lookup source ${this.name} threw an error`);
    return this.failure('registry_unreachable', 'error', 'the lookup source threw an error; see the log');
  }

  private failure(code: LookupErrorCode, rule: string, excerpt: string): SourceAnswer<RegistryServer> {
    const common = { excerpt, httpStatus: null, retryAfterSeconds: null };
    return { kind: 'failure', code, rule: `${this.name}.${rule}`, ...common };
  }

  /** Returns the previous servers if the source throws. */
  private readServers(): ReadonlyMap<string, RegistryServer> {
    try {
      const { servers, problems } = validateServers(this.source.servers());
      const left = problems.map((problem) => `left out ${problem}`);
      this.reportOnce([...left, ...this.describePublicZones(servers)].join('; '));
      return new Map([...servers].map(([tld, server]) => [tld, this.toRegistryServer(server)]));
    } catch (error) {
      this.reportOnce(`kept, since servers() threw ${String(error)}`);
      return this.known;
    }
  }

  private describePublicZones(servers: ReadonlyMap<string, SourceServer>): string[] {
    return findPublicZones(this, servers.keys()).map(
      (tld) => `.${tld} is in the public DNS, which is asked about its names`,
    );
  }

  private reportOnce(problem: string): void {
    if (problem !== '' && problem !== this.reported) this.log.warn(`servers of ${this.name}: ${problem}`);
    this.reported = problem;
  }

  private toRegistryServer({ host, port }: SourceServer): RegistryServer {
    const label = port === 443 ? host : `${host}:${port}`;
    return { host, port, label, isOverride: false, ...(this.budget && { operator: this.name }) };
  }
}

/** Connects to every server of each source, without sending a query. */
export function checkExtensionSources(
  { all }: ExtensionSources,
  guard: AddressGuard,
): Promise<readonly DiagnosticResult[]> {
  const connector = createGuardedConnector({ guard });
  return Promise.all(all.map((source) => runCheck(source.name, () => describeSource(source, connector))));
}

async function describeSource(
  source: ExtensionSource,
  connector: ReturnType<typeof createGuardedConnector>,
): Promise<string> {
  const servers = source.servers();
  if (servers.size === 0) return 'warning: this lookup source serves no TLD yet';
  const byLabel = new Map([...servers.values()].map((server) => [server.label, server]));
  const tlds = servers.size === 1 ? '1 TLD' : `${servers.size} TLDs`;
  try {
    await Promise.all([...byLabel.values()].map((server) => connect(server, connector)));
    return `lookup source (${source.role}) for ${tlds}; connects to ${[...byLabel.keys()].join(', ')}`;
  } catch (error) {
    if (source.role === 'only') throw error;
    return `warning: ${(error as Error).message}; the next source is asked`; // a lookup also asks the next source
  }
}

function connect(
  { host, port, label }: RegistryServer,
  connector: ReturnType<typeof createGuardedConnector>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const target = { hostname: host.replace(/^\[|\]$/g, ''), host, protocol: 'http:', port: `${port}` };
    connector(target, (...[error, socket]) => {
      if (error) return reject(new Error(`${label}: ${error.message}`, { cause: error }));
      socket.on('error', () => undefined).destroy();
      resolve();
    });
  });
}
