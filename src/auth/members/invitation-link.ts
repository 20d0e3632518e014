/** The dashboard's page at which an invitation is accepted. */
export function invitationPath({ token }: { readonly token: string }): string {
  return `/ui/#invitation=${token}`;
}
