/** The fields of a name of which nothing is known. */
export const NO_FACTS = { facts: null, source: null, factsSince: null, factsConfirmedAt: null } as const;

/** The fields of a name after a successful check. */
export const NO_FAILURES = { failures: 0, failingSince: null, failureCode: null } as const;
