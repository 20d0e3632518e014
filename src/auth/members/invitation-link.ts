/** One plain address: it is compared with the one that the provider verified. */
export const EMAIL_PATTERN = '^[^\\s@,;<>()"]{1,64}@[^\\s@,;<>()"]{1,189}$';

/** The dashboard's page at which an invitation is accepted. */
export function invitationPath({ token }: { readonly token: string }): string {
  return `/ui/#invitation=${token}`;
}
