/** A date that the watcher gave, at the start of its day in UTC. */
export interface Renewal {
  /** `YYYY-MM-DD` */
  readonly on: string;
  readonly note: string | null;
}
