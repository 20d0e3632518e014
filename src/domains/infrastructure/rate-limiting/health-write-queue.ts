import { Logger } from '@nestjs/common';
import type { PostgresOperatorHealthRepository } from './postgres-operator-health-repository.js';

/** A block and a breaker are written apart: the one must not get lost over the other. */
export type HealthKind = 'block' | 'breaker';

interface PendingWrite {
  readonly operator: string;
  readonly write: () => Promise<void>;
}

/**
 * What this process learned of operators and the database has yet to be told: of each kind the last, in their order,
 * and again and again while the database is away.
 */
export class HealthWriteQueue {
  private readonly log = new Logger(HealthWriteQueue.name);
  private readonly owed = new Map<string, PendingWrite>();
  private readonly underWay = new Set<string>();

  /** @param written told which operator the database knows all about that we know */
  constructor(
    private readonly statements: PostgresOperatorHealthRepository,
    private readonly written: (operator: string) => void,
  ) {}

  /** Never rejects; nobody waits for it. */
  owe(
    operator: string,
    kind: HealthKind,
    write: (statements: PostgresOperatorHealthRepository) => Promise<void>,
  ): void {
    const key = `${kind} ${operator}`;
    this.owed.set(key, { operator, write: () => write(this.statements) });
    void this.pay(key);
  }

  areOwed(operator: string): boolean {
    return (['block', 'breaker'] as const).some((kind) => this.owed.has(`${kind} ${operator}`));
  }

  /** Tries once more. Never rejects. */
  async payAll(): Promise<void> {
    await Promise.all([...this.owed.keys()].map((key) => this.pay(key)));
  }

  private async pay(key: string): Promise<void> {
    if (this.underWay.has(key)) return;
    this.underWay.add(key);
    try {
      for (let next = this.owed.get(key); next; next = this.owed.get(key)) await this.payOne(key, next);
    } catch (error) {
      this.log.warn(`other processes do not know yet how ${key} stands: ${(error as Error).message}`);
    } finally {
      this.underWay.delete(key);
    }
  }

  private async payOne(key: string, owed: PendingWrite): Promise<void> {
    await owed.write();
    if (this.owed.get(key) !== owed) return; // something newer is known by now
    this.owed.delete(key);
    if (!this.areOwed(owed.operator)) this.written(owed.operator);
  }
}
