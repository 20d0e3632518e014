export const PROCESS_ROLES = ['all', 'api', 'worker', 'scheduler'] as const;
/** The work of a process. Any number of processes may run in each role. */
export type ProcessRole = (typeof PROCESS_ROLES)[number];

/** Whether a process with this role does the task. The role `all` includes every other role. */
export function includesRole(role: ProcessRole, task: Exclude<ProcessRole, 'all'>): boolean {
  return role === 'all' || role === task;
}
