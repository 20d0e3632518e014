export const PROCESS_ROLES = ['all', 'api', 'worker', 'scheduler'] as const;
/** The work of a process. Any number of processes may run in each role. */
export type ProcessRole = (typeof PROCESS_ROLES)[number];

export function includesRole(role: ProcessRole, task: Exclude<ProcessRole, 'all'>): boolean {
  return role === 'all' || role === task;
}
