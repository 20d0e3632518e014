/** Links of messages and calendars to the dashboard. It asks for a key, so that these may be passed on. */
export class DashboardLinks {
  private constructor(private readonly base: string) {}

  /** @returns null without an address that receivers can open, and without a dashboard */
  static at({ publicUrl, ui }: { readonly publicUrl: string | null; readonly ui: boolean }): DashboardLinks | null {
    return publicUrl === null || !ui ? null : new DashboardLinks(`${publicUrl.replace(/\/+$/, '')}/ui`);
  }

  get watchlist(): string {
    return `${this.base}/`;
  }

  /** @param domain in ASCII */
  toName(domain: string): string {
    return `${this.base}/names/${encodeURIComponent(domain.toWellFormed())}`;
  }
}
