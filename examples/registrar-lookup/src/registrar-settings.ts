/** Where the registrar's API is, and for which TLDs it is asked. */
export class RegistrarSettings {
  constructor(
    /** Ends with a slash. */
    readonly url: URL,
    readonly apiKey: string,
    readonly tlds: readonly string[],
  ) {}

  /** @throws Error naming the setting that is missing */
  static read(environment: Readonly<Record<string, string | undefined>>): RegistrarSettings {
    const setting = (name: string) => {
      const value = environment[name];
      if (value === undefined || value === '') throw new Error(`${name} is not set`);
      return value;
    };
    const url = new URL(setting('REGISTRAR_URL').replace(/\/?$/, '/'));
    return new RegistrarSettings(url, setting('REGISTRAR_API_KEY'), setting('REGISTRAR_TLDS').split(','));
  }
}
