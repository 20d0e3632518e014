import { randomBytes } from 'node:crypto';
import { type Config, readConfig } from '../../../../src/config/config.js';
import type { AdmissionRequest } from '../../../../src/domains/domain/operators.js';
import { OperatorResolver } from '../../../../src/domains/rate-limiting/operator-resolver.js';
import { OperatorRepository } from '../../../../src/domains/rate-limiting/operators.repository.js';
import { RegistryRateLimiter } from '../../../../src/domains/rate-limiting/registry-rate-limiter.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import type { SqlStatement } from '../../../../src/platform/database/sql.js';
import { budgetsFile } from '../../../support/builders/budgets-file.js';
import { serviceDatabase } from '../../../support/servers/test-service.js';

/** Notes the names of statements, and can lose the database. */
export class NotedStatements extends SqlClient {
  readonly names: string[] = [];
  isAway = false;

  override run<Row extends object>(statement: SqlStatement, values: readonly unknown[] = []): Promise<Row[]> {
    if (this.isAway) return Promise.reject(new Error('away'));
    this.names.push(statement.name);
    return super.run<Row>(statement, values);
  }
}

/** A process's rate limiter, without the rest of the process. */
export interface TestGate {
  readonly gate: RegistryRateLimiter;
  readonly operators: OperatorRepository;
  readonly statements: NotedStatements;
  enter(operator: string, asking?: AdmissionRequest): ReturnType<RegistryRateLimiter['acquire']>;
}

/** A database, and processes that share it. */
export class TestGates {
  private readonly opened: NotedStatements[] = [];

  private constructor(private readonly config: Config) {}

  static async open(operators: Record<string, object>): Promise<TestGates> {
    const hosts = Object.entries(operators).map(
      ([name, budget]) => [name, { hosts: [hostOf(name)], ...budget }] as const,
    );
    const config = readConfig({
      DATABASE_URL: await serviceDatabase(),
      MASTER_KEY: randomBytes(32).toString('base64'),
      LOOKUP_BUDGETS_FILE: budgetsFile({ operators: Object.fromEntries(hosts) }),
    });
    return new TestGates(config);
  }

  /** @param databaseUrl of a process that cannot reach the shared database */
  process(databaseUrl?: string): TestGate {
    const config =
      databaseUrl === undefined
        ? this.config
        : this.config.withDatabase({ url: databaseUrl, migrationUrl: databaseUrl }, []);
    const statements = new NotedStatements(config);
    this.opened.push(statements);
    const operators = new OperatorRepository(statements);
    const gate = new RegistryRateLimiter(new OperatorResolver(config), operators);
    const enter = (operator: string, asking: AdmissionRequest = { priority: 'check' }) =>
      gate.acquire({ host: hostOf(operator), port: 443, isOverride: false }, asking);
    return { gate, operators, statements, enter };
  }

  /** Brings all that the operator waits for nearer by so much. */
  async passTime(operator: string, seconds: number): Promise<void> {
    const [one] = this.opened;
    await one?.run(PASS_TIME, [operator, seconds]);
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.map((statements) => statements.onApplicationShutdown()));
  }
}

const PASS_TIME = {
  name: 'test_pass_time',
  text: `update registry_operators set full_at = full_at - make_interval(secs => $2),
           blocked_until = blocked_until - make_interval(secs => $2), retry_at = retry_at - make_interval(secs => $2),
           probe_until = probe_until - make_interval(secs => $2)
         where operator = $1`,
};

function hostOf(operator: string): string {
  return `rdap.${operator}.example`;
}
