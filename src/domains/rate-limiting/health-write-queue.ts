import { Logger } from '@nestjs/common';
import type { PostgresOperatorHealthRepository } from './operator-health.repository.js';

/** Blocks and breakers are written separately, so that neither overwrites the other. */
export type HealthKind = 'block' | 'breaker';

interface PendingWrite {
  readonly operator: string;
  readonly write: () => Promise<void>;
}

/**
 * Health changes that are not in the database yet: the latest of each kind, written in order and retried while the
 * database is unavailable.
 */
export class HealthWriteQueue {
  private readonly log = new Logger(HealthWriteQueue.name);
  private readonly pending = new Map<string, PendingWrite>();
  private readonly flushing = new Set<string>();

  /** @param onWritten called when nothing is pending for the operator any more */
  constructor(
    private readonly repository: PostgresOperatorHealthRepository,
    private readonly onWritten: (operator: string) => void,
  ) {}

  /** Never rejects and does not have to be awaited. */
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

  /** Retries everything pending once. Never rejects. */
  async flushAll(): Promise<void> {
    await Promise.all([...this.pending.keys()].map((key) => this.flush(key)));
  }

  private async flush(key: string): Promise<void> {
    if (this.flushing.has(key)) return;
    this.flushing.add(key);
    try {
      for (let next = this.pending.get(key); next; next = this.pending.get(key)) await this.writeOne(key, next);
    } catch (error) {
      this.log.warn(`health of ${key} not saved yet, retrying: ${(error as Error).message}`);
    } finally {
      this.flushing.delete(key);
    }
  }

  private async writeOne(key: string, pending: PendingWrite): Promise<void> {
    await pending.write();
    if (this.pending.get(key) !== pending) return; // superseded by a newer change
    this.pending.delete(key);
    if (!this.hasPending(pending.operator)) this.onWritten(pending.operator);
  }
}
