import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient } from 'pg';

/** The connection of a unit of work: null before its transaction has begun and after it has ended. */
interface OpenTransaction {
  begun: PoolClient | null;
  open: PoolClient | null;
}

const scope = new AsyncLocalStorage<OpenTransaction>();

/**
 * Runs a unit of work: statements of SqlClient join its transaction. One inside another has the transaction of that.
 * @param begin begins the transaction, on a connection from a pool that calls `noteConnection`, and runs the given work in it
 */
export function withOpenTransaction<Result>(
  begin: (inTransaction: <Inner>(work: () => Promise<Inner>) => Promise<Inner>) => Promise<Result>,
): Promise<Result> {
  if (openTransaction() !== null) return begin((work) => work());
  const transaction: OpenTransaction = { begun: null, open: null };
  return scope.run(transaction, () =>
    begin(async (work) => {
      transaction.open = transaction.begun;
      try {
        return await work();
      } finally {
        transaction.open = null;
      }
    }),
  );
}

/** A unit of work begins its transaction on the first connection that it takes. */
export function noteConnection(client: PoolClient): void {
  const transaction = scope.getStore();
  if (transaction) transaction.begun ??= client;
}

/** The connection whose transaction the statements of this work join; null: there is none. */
export function openTransaction(): PoolClient | null {
  return scope.getStore()?.open ?? null;
}
