import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

/** Validated job data, or null: a queue is no more trustworthy than the network. */
export function parseJob<Data extends object>(shape: new () => Data, data: unknown): Data | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  const job = plainToInstance(shape, data);
  return validateSync(job, { whitelist: true, forbidUnknownValues: true }).length === 0 ? job : null;
}
