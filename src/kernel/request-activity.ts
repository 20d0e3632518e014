/** Whether this process serves requests. Background work gives way to them, within bounds. */
export abstract class RequestActivity {
  /** A request is being processed. */
  abstract get hasActiveRequests(): boolean;
  /** A request is being processed, or was a moment ago: users send one request after the other. */
  abstract get wasRecentlyActive(): boolean;
}
