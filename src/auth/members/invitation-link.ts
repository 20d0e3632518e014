/** Returns the path of the dashboard page that accepts an invitation. */
export function invitationPath({ token }: { readonly token: string }): string {
  return `/ui/#invitation=${token}`;
}
