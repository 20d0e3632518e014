import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

/** Job data in its class, or null for junk: a queue is no safer a source than a network. */
export function parseJob<Data extends object>(shape: new () => Data, data: unknown): Data | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  const job = plainToInstance(shape, data);
  return validateSync(job, { whitelist: true, forbidUnknownValues: true }).length === 0 ? job : null;
}
