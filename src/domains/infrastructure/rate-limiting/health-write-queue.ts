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
  private readonly pending = new Map<string, PendingWrite>();
  private readonly flushing = new Set<string>();

  /** @param onWritten told which operator the database knows all about that we know */
  constructor(
    private readonly repository: PostgresOperatorHealthRepository,
    private readonly onWritten: (operator: string) => void,
  ) {}

  /** Never rejects; nobody waits for it. */
  enqueue(
    operator: string,
    kind: HealthKind,
    write: (repository: PostgresOperatorHealthRepository) => Promise<void>,
  ): void {
    const key = `${kind} ${operator}`;
    this.pending.set(key, { operator, write: () => write(this.repository) });
    void this.flush(key);
  }

  hasPending(operator: string): boolean {
    return (['block', 'breaker'] as const).some((kind) => this.pending.has(`${kind} ${operator}`));
  }

  /** Tries once more. Never rejects. */
  async flushAll(): Promise<void> {
    await Promise.all([...this.pending.keys()].map((key) => this.flush(key)));
  }

  private async flush(key: string): Promise<void> {
    if (this.flushing.has(key)) return;
    this.flushing.add(key);
    try {
      for (let next = this.pending.get(key); next; next = this.pending.get(key)) await this.writeOne(key, next);
    } catch (error) {
      this.log.warn(`other processes do not know yet how ${key} stands: ${(error as Error).message}`);
    } finally {
      this.flushing.delete(key);
    }
  }

  private async writeOne(key: string, pending: PendingWrite): Promise<void> {
    await pending.write();
    if (this.pending.get(key) !== pending) return; // something newer is known by now
    this.pending.delete(key);
    if (!this.hasPending(pending.operator)) this.onWritten(pending.operator);
  }
}
