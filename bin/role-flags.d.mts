/** The types of role-flags.mjs, which runs before anything is compiled. */
export const MEMORY_BY_ROLE: Readonly<
  Record<
    'all' | 'worker',
    { readonly flags: Readonly<Record<string, number>>; readonly settings: Readonly<Record<string, string>> }
  >
>;
export function continueWithRoleFlags(): void;
