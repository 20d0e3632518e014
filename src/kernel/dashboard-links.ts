/** Links to the dashboard in messages and calendars. They may be passed on, since the dashboard asks for a key. */
export class DashboardLinks {
  private constructor(private readonly base: string) {}

  /** @returns null without a public URL or without a dashboard */
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
