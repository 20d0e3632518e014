/** Some settings are wrong; each problem is one line. The process ends with exit code 78 (sysexits' EX_CONFIG). */
export class InvalidConfigurationError extends Error {
  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(problems.join('\n'), options);
  }
}
