/** Makes the first check of a name part of the trace of the request that added it. */
export abstract class FirstCheckTraces {
  /** Keeps the current trace; nothing while nothing is traced. It never fails: an addition is worth more than its trace. */
  abstract keep(domain: string): Promise<void> | undefined;
  /** @returns the `traceparent` of names that have one, by name: once */
  abstract take(domains: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Where nothing is traced. */
export const NO_FIRST_CHECK_TRACES: FirstCheckTraces = {
  keep: () => undefined,
  take: () => Promise.resolve(NONE),
};
