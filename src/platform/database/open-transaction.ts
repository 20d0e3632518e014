import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient } from 'pg';

/** The connection of a unit of work. `open` is null before its transaction begins and after it ends. */
interface OpenTransaction {
  begun: PoolClient | null;
  open: PoolClient | null;
}

const scope = new AsyncLocalStorage<OpenTransaction>();

/**
 * Runs a unit of work, whose transaction all statements of SqlClient join. A unit of work inside another joins the
 * outer transaction.
 * @param begin begins the transaction on a connection from a pool that calls `noteConnection`, and runs the given work
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

/** Remembers the first connection that a unit of work takes: its transaction begins there. */
export function noteConnection(client: PoolClient): void {
  const transaction = scope.getStore();
  if (transaction) transaction.begun ??= client;
}

/** Returns the connection whose transaction the statements of this work join, null if there is none. */
export function openTransaction(): PoolClient | null {
  return scope.getStore()?.open ?? null;
}
