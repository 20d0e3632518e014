/** The right to make the next attempt at a message, until its lease ends. */
export interface Claim {
  readonly id: string;
  readonly token: string;
}
