/** The work of this process that people wait for. Other work gives way to it, within bounds. */
export abstract class Foreground {
  /** Whether a request is being worked on. */
  abstract get isBusy(): boolean;
  /** Whether one is, or was a moment ago: people who use a service send one request after the other. */
  abstract get isInUse(): boolean;
}
