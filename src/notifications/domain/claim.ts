/** A worker's time-limited right to make the next attempt at a message. */
export interface Claim {
  readonly id: string;
  readonly token: string;
}
