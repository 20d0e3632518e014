/** Settings are wrong. The process then exits with code 78 (EX_CONFIG of sysexits). */
export class InvalidConfigurationError extends Error {
  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(problems.join('\n'), options);
  }
}
