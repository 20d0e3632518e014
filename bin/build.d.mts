/** Whether dist is of other sources than these. */
export function isStale(): boolean;

/** Compiles the service, the client and the dashboard to dist. */
export function build(): Promise<void>;
