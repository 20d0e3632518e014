/** What a process does; one image serves them all, and any number of each may run. */
export type ProcessRole = 'api' | 'worker' | 'scheduler' | 'all';

/** `all` is every role in one process. */
export function includesRole(role: ProcessRole, task: Exclude<ProcessRole, 'all'>): boolean {
  return role === 'all' || role === task;
}
