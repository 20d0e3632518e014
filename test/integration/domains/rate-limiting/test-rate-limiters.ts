import { randomBytes } from 'node:crypto';
import { type Config, readConfig } from '../../../../src/config/config.js';
import type { AdmissionRequest } from '../../../../src/domains/domain/lookup/admission.js';
import { RegistryRateLimiter } from '../../../../src/domains/rate-limiting/registry-rate-limiter.js';
import { OperatorHealthTracker } from '../../../../src/domains/rate-limiting/operator-health-tracker.js';
import { DistributedSemaphore } from '../../../../src/domains/rate-limiting/operator-slots.js';
import { OperatorHealthRepository } from '../../../../src/domains/rate-limiting/operator-health.repository.js';
import { TokenBuckets } from '../../../../src/domains/rate-limiting/operator-tokens.js';
import { OperatorResolver } from '../../../../src/domains/rate-limiting/operator-resolver.js';
import type { Clock } from '../../../../src/kernel/clock.js';
import { type SqlStatement, SqlClient } from '../../../../src/platform/database/sql-client.js';
import { RedisConnection } from '../../../../src/platform/redis/redis-connection.js';
import { budgetsFile } from '../../../support/builders/budgets-file.js';
import { serviceDatabase } from '../../../support/servers/test-service.js';

/** Counts statements. */
class CountedStatements extends SqlClient {
  count = 0;

  override run<Row extends object>(statement: SqlStatement, values: readonly unknown[] = []): Promise<Row[]> {
    this.count += 1;
    return super.run<Row>(statement, values);
  }
}

/** A process's rate limiter, without the rest of the process. */
export interface TestGate {
  readonly gate: RegistryRateLimiter;
  readonly health: OperatorHealthTracker;
  readonly statements: CountedStatements;
  enter(operator: string, asking?: AdmissionRequest): ReturnType<RegistryRateLimiter['acquire']>;
}

/** A database, and processes that share it. */
export class TestGates {
  private readonly opened: SqlClient[] = [];

  private constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  static async open(operators: Record<string, object>, clock: Clock): Promise<TestGates> {
    const hosts = Object.entries(operators).map(
      ([name, budget]) => [name, { hosts: [hostOf(name)], ...budget }] as const,
    );
    const config = readConfig({
      DATABASE_URL: await serviceDatabase(),
      MASTER_KEY: randomBytes(32).toString('base64'),
      LOOKUP_BUDGETS_FILE: budgetsFile({ operators: Object.fromEntries(hosts) }),
    });
    return new TestGates(config, clock);
  }

  /** @param databaseUrl of a process that cannot reach the shared database */
  async process(databaseUrl?: string): Promise<TestGate> {
    const config =
      databaseUrl === undefined
        ? this.config
        : this.config.withDatabase({ url: databaseUrl, migrationUrl: databaseUrl }, []);
    const statements = new CountedStatements(config);
    this.opened.push(statements);
    const health = new OperatorHealthTracker(new OperatorHealthRepository(statements, this.clock), this.clock);
    await health.onModuleInit();
    const buckets = new TokenBuckets(new RedisConnection(null), statements);
    const slots = new DistributedSemaphore(statements);
    const gate = new RegistryRateLimiter(new OperatorResolver(config), health, buckets, slots, this.clock);
    const enter = (operator: string, asking: AdmissionRequest = { priority: 'check' }) =>
      gate.acquire({ host: hostOf(operator), port: 443, isOverride: false }, asking);
    return { gate, health, statements, enter };
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.map((statements) => statements.onApplicationShutdown()));
  }
}

function hostOf(operator: string): string {
  return `rdap.${operator}.example`;
}
