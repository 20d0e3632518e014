import type { Member } from '../../../../clients/typescript/src/index.js';

export type Role = Member['role'];

const LABELS = {
  viewer: 'Sees names, channels and registries',
  editor: 'Changes names and channels, too',
  admin: 'Everything: keys, members and the audit trail, too',
} as const satisfies Readonly<Record<Role, string>>;

export const ROLES = Object.keys(LABELS) as readonly Role[];

export function roleLabel(role: Role): string {
  return LABELS[role];
}
