/** The work of this process that people wait for. Other work gives way to it, within bounds. */
export abstract class RequestActivity {
  /** Whether a request is being worked on. */
  abstract get hasActiveRequests(): boolean;
  /** Whether one is, or was a moment ago: people who use a service send one request after the other. */
  abstract get wasRecentlyActive(): boolean;
}
