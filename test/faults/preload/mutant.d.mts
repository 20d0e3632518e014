export function reportMutantUse(): void;

/** Its type is that of the source, so that the compiler notices when a mutant no longer fits. */
export function fromBuild<Module>(path: string): Promise<Module>;
